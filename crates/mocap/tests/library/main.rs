//! The library as its users call it.

mod files;
mod scenes;
mod ten_lines;
