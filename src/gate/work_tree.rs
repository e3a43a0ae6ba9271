//! Distinguishes work trees.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// What a work tree is known by, whichever path leads to it: the device and the inode of its top.
///
/// # Errors
/// It is not there, or may not be looked at.
pub fn work_tree_id(top: &Path) -> io::Result<(u64, u64)> {
    let metadata = std::fs::metadata(top)?;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_paths_to_one_directory_have_one_id() {
        let folder = tempfile::tempdir().unwrap();
        let (top, other, link) =
            (folder.path().join("top"), folder.path().join("other"), folder.path().join("link"));
        std::fs::create_dir(&top).unwrap();
        std::fs::create_dir(&other).unwrap();
        std::os::unix::fs::symlink(&top, &link).unwrap();
        assert_eq!(work_tree_id(&top).unwrap(), work_tree_id(&link).unwrap());
        assert_ne!(work_tree_id(&top).unwrap(), work_tree_id(&other).unwrap());
        assert!(work_tree_id(&folder.path().join("missing")).is_err());
    }
}
