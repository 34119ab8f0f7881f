use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;

use super::perform;
use super::request::{Attributes, FileError, Piece, Request, Response, RootedPath, Time};

/// A directory with `root/inside/file`, and `outside/secret` beside it.
fn fixture() -> TempDir {
    let fixture = tempfile::tempdir().expect("a directory");
    for path in ["root/inside", "outside"] {
        fs::create_dir_all(fixture.path().join(path)).expect("a directory");
    }
    fs::write(fixture.path().join("root/inside/file"), "text").expect("a file");
    fs::write(fixture.path().join("outside/secret"), "secret").expect("a file");
    fixture
}

fn bytes(path: &Path) -> Vec<u8> {
    path.to_str().expect("text").as_bytes().to_vec()
}

fn place(fixture: &TempDir, path: &str) -> RootedPath {
    let root = Some(bytes(&fixture.path().join("root")));
    RootedPath { root, path: path.as_bytes().to_vec(), below: Vec::new() }
}

fn below(fixture: &TempDir, names: &[&str]) -> RootedPath {
    let below = names.iter().map(|name| name.as_bytes().to_vec()).collect();
    RootedPath { below, ..place(fixture, ".") }
}

fn read(place: RootedPath) -> Result<String, FileError> {
    match perform(&Request::Read { place, from: 0, most: 100 }) {
        Response::Data { bytes, .. } => Ok(String::from_utf8(bytes).expect("text")),
        Response::Failed(error) => Err(error),
        other => panic!("{other:?}"),
    }
}

fn put(place: RootedPath, text: &str) -> Response {
    perform(&Request::Put { place, bytes: text.as_bytes().to_vec(), attributes: Attributes::default() })
}

fn system(number: i32) -> Response {
    Response::Failed(FileError::system(number))
}

#[test]
fn links_are_followed_as_long_as_they_stay_in_the_root() {
    let fixture = fixture();
    let root = fixture.path().join("root");
    symlink("inside/../inside/file", root.join("near")).expect("a link");
    symlink(root.join("inside"), root.join("absolute")).expect("a link");
    symlink("../outside", root.join("out")).expect("a link");
    symlink("../outside/secret", root.join("secret")).expect("a link");
    symlink("circle", root.join("circle")).expect("a link");
    for path in ["near", "absolute/file", "inside/file", "inside/../near"] {
        assert_eq!(read(place(&fixture, path)).as_deref(), Ok("text"), "{path}");
    }
    for path in ["out/secret", "secret", "../outside/secret", "inside/../../outside/secret"] {
        assert_eq!(read(place(&fixture, path)), Err(FileError::Outside), "{path}");
        assert_eq!(put(place(&fixture, path), "new"), Response::Failed(FileError::Outside), "{path}");
    }
    assert_eq!(read(place(&fixture, "circle")), Err(FileError::system(libc::ELOOP)));
    assert_eq!(fs::read_to_string(fixture.path().join("outside/secret")).expect("there"), "secret");
}

#[test]
fn no_link_is_followed_below_the_path() {
    let fixture = fixture();
    let root = fixture.path().join("root");
    symlink("inside", root.join("link")).expect("a link");
    symlink("inside/file", root.join("to-file")).expect("a link");
    assert_eq!(put(below(&fixture, &["link", "new"]), "new"), system(libc::ENOTDIR));
    assert_eq!(put(below(&fixture, &["to-file"]), "new"), Response::Done);
    assert!(fs::symlink_metadata(root.join("to-file")).expect("there").is_file());
    assert_eq!(fs::read_to_string(root.join("inside/file")).expect("there"), "text");
}

#[test]
fn a_name_of_a_hostile_list_leads_nowhere() {
    let fixture = fixture();
    for name in ["..", ".", "", "../outside/secret", "/etc/passwd", "a/b", "a\0b"] {
        let answer = put(below(&fixture, &[name]), "new");
        assert_eq!(answer, Response::Failed(FileError::Outside), "{name:?}");
        let answer = put(below(&fixture, &[name, "file"]), "new");
        assert_eq!(answer, Response::Failed(FileError::Outside), "{name:?}");
    }
}

#[test]
fn a_pipe_and_a_device_are_no_files() {
    let fixture = fixture();
    let pipe = fixture.path().join("root/pipe");
    let status = std::process::Command::new("mkfifo").arg(&pipe).status().expect("started");
    assert!(status.success());
    assert_eq!(read(place(&fixture, "pipe")), Err(FileError::NotFile));
    let piece = Piece { bytes: b"x".to_vec(), begins: true, ..Piece::default() };
    let answer = perform(&Request::Write { place: place(&fixture, "pipe"), piece });
    assert_eq!(answer, Response::Failed(FileError::NotFile));
    let device = RootedPath { path: b"/dev/null".to_vec(), ..RootedPath::default() };
    assert_eq!(read(device), Err(FileError::NotFile));
}

#[test]
fn a_file_that_takes_a_place_keeps_the_permissions_that_were_there() {
    let fixture = fixture();
    let path = fixture.path().join("root/inside/file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).expect("set");
    assert_eq!(put(place(&fixture, "inside/file"), "new"), Response::Done);
    let metadata = fs::metadata(&path).expect("there");
    assert_eq!((metadata.mode() & 0o7777, metadata.len()), (0o751, 3));
    assert_eq!(put(place(&fixture, "inside"), "new"), system(libc::EISDIR));
    assert_eq!(fs::read_dir(fixture.path().join("root")).expect("there").count(), 1);
}

#[test]
fn a_partial_copy_takes_its_place_with_its_attributes() {
    let fixture = fixture();
    let place = place(&fixture, "new");
    let write = |at: u64, bytes: &[u8]| {
        let piece = Piece { at, bytes: bytes.to_vec(), tag: Some(7), begins: at == 0, mode: Some(0o600) };
        perform(&Request::Write { place: place.clone(), piece })
    };
    assert_eq!(perform(&Request::Partial { place: place.clone(), tag: 7 }), Response::Size(0));
    assert_eq!((write(0, b"ab"), write(4, b"cd")), (Response::Done, Response::Done));
    assert_eq!(perform(&Request::Partial { place: place.clone(), tag: 7 }), Response::Size(6));
    let modified = Some(Time { seconds: 1_000, nanoseconds: 5 });
    let attributes = Attributes { mode: Some(0o4640), accessed: None, modified };
    let finish = Request::Finish { place, tag: 7, size: 8, attributes };
    assert_eq!(perform(&finish), Response::Done);
    let metadata = fs::metadata(fixture.path().join("root/new")).expect("there");
    assert_eq!((metadata.mode() & 0o7777, metadata.mtime(), metadata.mtime_nsec()), (0o640, 1_000, 5));
    assert_eq!(fs::read(fixture.path().join("root/new")).expect("there"), b"ab\0\0cd\0\0");
    assert_eq!(perform(&finish), system(libc::ENOENT));
}

#[test]
fn directories_are_made_with_those_above_them() {
    let fixture = fixture();
    let make = |path: &str, recursive| {
        perform(&Request::MakeDirectory { place: place(&fixture, path), recursive, mode: None })
    };
    assert_eq!(make("a/b/c", false), system(libc::ENOENT));
    assert_eq!(make("a/b/c", true), Response::Created(true));
    assert_eq!(make("a/b/c/", true), Response::Created(false));
    assert_eq!(make("a/b/c", false), system(libc::EEXIST));
    assert_eq!(make("inside/file", true), system(libc::EEXIST));
    assert_eq!(make("inside/file/x", true), system(libc::ENOTDIR));
}

#[test]
fn a_tree_deeper_than_there_are_descriptors_is_removed_and_what_links_lead_to_is_not() {
    let fixture = fixture();
    let root = fixture.path().join("root");
    let remove =
        |path: &str, recursive| perform(&Request::Remove { place: place(&fixture, path), recursive });
    symlink("../outside", root.join("inside/link")).expect("a link");
    let deep = vec!["d"; 900].join("/");
    fs::create_dir_all(root.join("inside").join(&deep)).expect("made");
    fs::write(root.join("inside").join(&deep).join("file"), "").expect("written");
    assert_eq!(remove("inside", false), system(libc::ENOTEMPTY));
    assert_eq!(remove("inside/link", true), Response::Done);
    assert_eq!(remove("inside", true), Response::Done);
    assert_eq!(remove("inside", true), system(libc::ENOENT));
    assert_eq!(remove(".", true), system(libc::EINVAL));
    assert!(fixture.path().join("outside/secret").exists());
}

#[test]
fn a_list_has_names_that_are_no_text_and_where_links_lead() {
    use std::os::unix::ffi::OsStrExt;
    let fixture = fixture();
    let root = fixture.path().join("root");
    symlink("nowhere", root.join("link")).expect("a link");
    fs::write(root.join(std::ffi::OsStr::from_bytes(b"-rf \xff\n")), "").expect("a file");
    let Response::Listed { entries, has_more: false } =
        perform(&Request::List { place: place(&fixture, "."), after: None })
    else {
        panic!("expected a list");
    };
    let names: Vec<&[u8]> = entries.iter().map(|entry| entry.name.as_slice()).collect();
    assert_eq!(names, [b"-rf \xff\n".as_slice(), b"inside", b"link"]);
    assert_eq!(entries[2].link.as_deref(), Some(b"nowhere".as_slice()));
}

#[test]
fn a_long_list_comes_in_pages() {
    let fixture = fixture();
    for number in 0..5_000 {
        fs::write(fixture.path().join(format!("root/inside/{number:05}")), "").expect("written");
    }
    let (mut after, mut names) = (None, Vec::new());
    let mut pages = 0;
    loop {
        let list = Request::List { place: place(&fixture, "inside"), after };
        let Response::Listed { entries, has_more } = perform(&list) else { panic!("expected a list") };
        pages += 1;
        names.extend(entries.into_iter().map(|entry| entry.name));
        after = names.last().cloned();
        if !has_more {
            break;
        }
    }
    assert_eq!((pages, names.len()), (2, 5_001));
    assert!(names.is_sorted());
}

#[test]
#[cfg(target_os = "linux")]
fn the_ranges_of_a_sparse_file_are_known() {
    let fixture = fixture();
    let file = fs::File::create(fixture.path().join("root/sparse")).expect("a file");
    file.set_len(64 << 20).expect("sparse");
    std::os::unix::fs::FileExt::write_all_at(&file, b"x", 32 << 20).expect("written");
    let Response::Ranges(ranges) = perform(&Request::Ranges { place: place(&fixture, "sparse") }) else {
        panic!("expected ranges");
    };
    assert!(ranges.len() <= 1 && ranges[0].0 <= 32 << 20 && ranges[0].1 > 32 << 20, "{ranges:?}");
}
