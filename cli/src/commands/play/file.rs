//! The file of a graph: clips and nodes by name.

use std::path::{Path, PathBuf};

use mocap_edit::{Amount, Graph, Node, NodeKind};
use mocap_model::FrameRange;
use mocap_toml::{Entry, Table, Text, TomlError, TomlProblem};

use super::node;

/// What is wrong with a graph.
pub(super) const GRAPH: TomlProblem = TomlProblem::Other("play::graph");

/// A graph whose motions are not read yet.
pub(super) struct GraphFile {
    pub(super) graph: Graph,
    pub(super) clips: Vec<ClipFile>,
}

/// A motion of the graph.
pub(super) struct ClipFile {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) looped: bool,
    pub(super) range: Option<FrameRange>,
}

/// The names that nodes can use, in the order of their numbers.
pub(super) struct Names<'a> {
    pub(super) text: &'a Text,
    pub(super) params: Vec<String>,
    pub(super) clips: Vec<String>,
    /// Every clip is a node too; these come first.
    pub(super) nodes: Vec<String>,
}

impl GraphFile {
    /// Reads a graph; paths are relative to its folder.
    pub(super) fn of(text: &Text, path: &Path) -> Result<GraphFile, TomlError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let table = text.parse()?;
        let known = ["output", "params", "clip", "node"];
        if let Some(entry) = table.iter().find(|entry| !known.contains(&entry.key.as_str())) {
            return Err(text.unknown(entry, "a graph", &known));
        }
        let empty = Table::new();
        let part = |key: &str| match table.iter().find(|entry| entry.key == key) {
            Some(entry) => entry.table(text),
            None => Ok(&empty),
        };
        let (params, clips, nodes) = (part("params")?, part("clip")?, part("node")?);
        let keys = |table: &Table| table.iter().map(|entry| entry.key.clone()).collect::<Vec<_>>();
        let names = Names {
            text,
            params: keys(params),
            clips: keys(clips),
            nodes: [keys(clips), keys(nodes)].concat(),
        };
        if let Some(entry) = nodes.iter().find(|entry| names.clips.contains(&entry.key)) {
            let message = format!("a clip is called '{}' too", entry.key);
            return Err(text
                .error(GRAPH, entry.cell.span.clone(), message)
                .help("give one of them another name"));
        }
        let mut graph = Graph::default();
        for entry in params {
            graph.params.push((entry.key.clone(), names.number(entry)?));
        }
        let mut files = Vec::new();
        for (number, entry) in clips.iter().enumerate() {
            let (file, speed) = clip(&names, entry, folder)?;
            files.push(file);
            graph.nodes.push(Node { name: entry.key.clone(), kind: NodeKind::Clip { clip: number, speed } });
        }
        for entry in nodes {
            graph.nodes.push(Node { name: entry.key.clone(), kind: node::kind(&names, entry)? });
        }
        if graph.nodes.is_empty() {
            let error = text.error(GRAPH, 0..0, "the graph has no clips");
            return Err(error.help("a motion is a table [clip.NAME] with path = '...'"));
        }
        graph.output = match table.iter().find(|entry| entry.key == "output") {
            Some(entry) => names.node(entry)?,
            None => graph.nodes.len() - 1,
        };
        graph.check().map_err(|error| text.error(GRAPH, 0..0, error.to_string()))?;
        Ok(GraphFile { graph, clips: files })
    }
}

/// A motion, and how fast it is played.
fn clip(names: &Names, entry: &Entry, folder: &Path) -> Result<(ClipFile, Amount), TomlError> {
    let text = names.text;
    let table = entry.table(text)?;
    names.known(table, "a clip", &["path", "loop", "range", "speed"])?;
    let path = names.required(entry, table, "path")?.text(text)?;
    let looped = names.optional(table, "loop").map_or(Ok(false), |entry| entry.switch(text))?;
    let range = names.optional(table, "range").map(|entry| names.parsed(entry)).transpose()?;
    let speed = names.optional(table, "speed").map_or(Ok(Amount::Fixed(1.0)), |entry| names.amount(entry))?;
    Ok((ClipFile { name: entry.key.clone(), path: folder.join(path), looped, range }, speed))
}

impl Names<'_> {
    /// Refuses keys that nothing reads.
    pub(super) fn known(&self, table: &Table, of: &str, known: &[&str]) -> Result<(), TomlError> {
        match table.iter().find(|entry| !known.contains(&entry.key.as_str())) {
            Some(entry) => Err(self.text.unknown(entry, of, known)),
            None => Ok(()),
        }
    }

    pub(super) fn optional<'t>(&self, table: &'t Table, key: &str) -> Option<&'t Entry> {
        table.iter().find(|entry| entry.key == key)
    }

    pub(super) fn required<'t>(
        &self,
        of: &Entry,
        table: &'t Table,
        key: &str,
    ) -> Result<&'t Entry, TomlError> {
        let missing = || self.text.error(GRAPH, of.cell.span.clone(), format!("'{}' has no {key}", of.key));
        self.optional(table, key).ok_or_else(missing)
    }

    pub(super) fn number(&self, entry: &Entry) -> Result<f64, TomlError> {
        let value = entry.cell.value.scalar().and_then(|value| value.parse::<f64>().ok());
        value.filter(|value| value.is_finite()).ok_or_else(|| self.text.mistyped(entry, "a number"))
    }

    /// A text that is read as something else.
    pub(super) fn parsed<T: std::str::FromStr<Err = String>>(&self, entry: &Entry) -> Result<T, TomlError> {
        let text = entry.text(self.text)?;
        text.parse().map_err(|why: String| self.text.error(TomlProblem::Value, entry.cell.span.clone(), why))
    }

    /// A number, or the name of a parameter.
    pub(super) fn amount(&self, entry: &Entry) -> Result<Amount, TomlError> {
        match &entry.cell.value {
            mocap_toml::Value::Text(_) => self.param(entry).map(Amount::Param),
            _ => self.number(entry).map(Amount::Fixed),
        }
    }

    pub(super) fn param(&self, entry: &Entry) -> Result<usize, TomlError> {
        self.named(entry, entry.text(self.text)?, &self.params, "parameter")
    }

    pub(super) fn node(&self, entry: &Entry) -> Result<usize, TomlError> {
        self.named(entry, entry.text(self.text)?, &self.nodes, "node")
    }

    pub(super) fn clip(&self, entry: &Entry) -> Result<usize, TomlError> {
        self.named(entry, entry.text(self.text)?, &self.clips, "clip")
    }

    /// The number of a name; an unknown one is answered with the nearest.
    pub(super) fn named(
        &self,
        entry: &Entry,
        name: &str,
        all: &[String],
        what: &str,
    ) -> Result<usize, TomlError> {
        let found = all.iter().position(|other| other == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(String::as_str).collect();
            let error =
                self.text.error(GRAPH, entry.cell.span.clone(), format!("no {what} is called '{name}'"));
            error.nearest(name, &known, "there are")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(graph: &str) -> Result<GraphFile, TomlError> {
        GraphFile::of(&Text::new("graphs/a.toml", graph.as_bytes().to_vec())?, Path::new("graphs/a.toml"))
    }

    #[test]
    fn clips_are_nodes_and_the_last_node_is_the_output() {
        let file =
            read("[clip.walk]\npath = 'walk.bvh'\nloop = true\n[clip.idle]\npath = 'idle.bvh'\n").unwrap();
        assert_eq!((file.graph.nodes.len(), file.graph.output), (2, 1));
        assert_eq!(file.clips[0].path, Path::new("graphs/walk.bvh"));
        assert!(file.clips[0].looped && !file.clips[1].looped);
    }

    #[test]
    fn mistakes_have_a_place_and_the_nearest_name() {
        let fails = |graph: &str| {
            let error = read(graph).err().expect("it is wrong");
            (error.code().to_owned(), error.place(), error.help.clone().unwrap_or_default())
        };
        let (code, place, help) = fails("output = 'wlak'\n[clip.walk]\npath = 'a.bvh'\n");
        assert_eq!((code.as_str(), place), ("play::graph", Some((1, 10))));
        assert!(help.contains("walk"), "{help}");
        let (code, place, _) = fails("[clip.walk]\npath = 'a.bvh'\nlop = true\n");
        assert_eq!((code.as_str(), place), ("toml::unknown-key", Some((3, 1))));
        let (code, ..) = fails("[clip.walk]\nloop = true\n");
        assert_eq!(code, "play::graph");
        let circle = "[clip.walk]\npath = 'a.bvh'\n[node.a]\ntype = 'layer'\nbase = 'a'\nover = 'walk'\n";
        assert_eq!(fails(circle).0, "play::graph");
    }
}
