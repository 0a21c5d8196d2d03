//! The library as its users call it.

mod files;
mod robots;
mod scenes;
mod ten_lines;
