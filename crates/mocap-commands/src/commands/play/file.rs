//! Reads a graph file: clips and nodes by name.

use std::path::{Path, PathBuf};

use mocap_edit::{Amount, Graph, Node, NodeKind};
use mocap_model::FrameRange;
use mocap_toml::{Entry, Table, Text, TomlError, Value, find};

use super::names::{GRAPH, Names};
use super::node;

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

impl GraphFile {
    /// Reads a graph; paths are relative to its folder.
    pub(super) fn of(text: &Text, path: &Path) -> Result<GraphFile, TomlError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let table = text.parse()?;
        text.check_keys(&table, "a graph", &["output", "params", "clip", "node"])?;
        let empty = Table::new();
        let part = |key: &str| match find(&table, key) {
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
            ends: clips.iter().chain(nodes).map(can_end).collect(),
        };
        if let Some(entry) = nodes.iter().find(|entry| names.clips.contains(&entry.key)) {
            let message = format!("a clip is called '{}' too", entry.key);
            return Err(text
                .error(GRAPH, entry.cell.span.clone(), message)
                .help("give one of them another name"));
        }
        let mut graph = Graph::default();
        for entry in params {
            graph.params.push((entry.key.clone(), entry.number(names.text)?));
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
        graph.output = match find(&table, "output") {
            Some(entry) => names.node(entry)?,
            None => graph.nodes.len() - 1,
        };
        graph.check().map_err(|error| {
            // Only nodes can use other nodes; clips come first.
            let first = graph.cycle().and_then(|cycle| cycle.into_iter().min()).unwrap_or(0);
            let span = nodes
                .get(first.saturating_sub(names.clips.len()))
                .map_or(0..0, |entry| entry.key_span.clone());
            text.error(GRAPH, span, error.to_string())
        })?;
        Ok(GraphFile { graph, clips: files })
    }
}

/// Whether the motion of a clip or node can end: loops and blends repeat forever.
fn can_end(entry: &Entry) -> bool {
    let Value::Table(table) = &entry.cell.value else { return true };
    let repeats = find(table, "loop").and_then(|entry| entry.cell.value.switch()).unwrap_or(false);
    let kind = find(table, "type").and_then(|entry| entry.cell.value.scalar());
    !repeats && !kind.is_some_and(|kind| ["space", "blend", "lerp"].contains(&kind))
}

/// A motion and its playback speed.
fn clip(names: &Names, entry: &Entry, folder: &Path) -> Result<(ClipFile, Amount), TomlError> {
    let text = names.text;
    let table = entry.table(text)?;
    names.text.check_keys(table, "a clip", &["path", "loop", "range", "speed"])?;
    let path = names.required(entry, table, "path")?.text(text)?;
    let looped = find(table, "loop").map_or(Ok(false), |entry| entry.switch(text))?;
    let range = find(table, "range").map(|entry| names.parsed(entry)).transpose()?;
    let speed = find(table, "speed")
        .map_or(Ok(Amount::Fixed(1.0)), |entry| names.amount_in(entry, Some(0.0..=f64::INFINITY)))?;
    Ok((ClipFile { name: entry.key.clone(), path: folder.join(path), looped, range }, speed))
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
        let walk = "[params]\nspeed = 0\n[clip.walk]\npath = 'a.bvh'\nloop = true\n";
        let states = "[node.s]\ntype = 'states'\n[[node.s.state]]\nnode = 'walk'\n[[node.s.state]]\nname = 'b'\n\
                      node = 'walk'\n[[node.s.transition]]\nfrom = 'walk'\n";
        for (rest, place) in [
            ("to = 'walk'\nwhen = 'event a'\n", (15, 6)),
            ("to = 'b'\nwhen = 'finished'\n", (16, 8)),
            ("to = 'b'\nwhen = 'speed > 2 and speed < 1'\n", (16, 8)),
        ] {
            let (code, found, _) = fails(&format!("{walk}{states}{rest}"));
            assert_eq!((code.as_str(), found), ("play::graph", Some(place)), "{rest}");
        }
        let layer = "[node.a]\ntype = 'layer'\nbase = 'walk'\nover = 'walk'\nweight = 1.5\n";
        assert_eq!(fails(&format!("{walk}{layer}")).1, Some((10, 10)));
        let lerp = "[node.a]\ntype = 'lerp'\nnodes = ['walk', 'walk']\nat = ['speed', 0.5]\n";
        assert_eq!(fails(&format!("{walk}{lerp}")).1, Some((9, 6)));
        let circle = "[clip.walk]\npath = 'a.bvh'\n[node.a]\ntype = 'layer'\nbase = 'a'\nover = 'walk'\n";
        assert_eq!((fails(circle).0.as_str(), fails(circle).1), ("play::graph", Some((3, 7))));
    }
}
