//! Plays compressed motion from C: see `include/mocap.h`, which describes every function.
//!
//! A panic does not cross the boundary: it becomes [`DEFECT`]. The caller keeps to the header: pointers are null or
//! valid, and a freed object is not used again.

use mocap_compress::{CompressError, Compressed, JointId, Looping, OpenLimits, Profile, Sampler, Transform};
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Success.
pub const OK: i32 = 0;
/// A pointer is null.
pub const NULL: i32 = 1;
/// The bytes are not a compressed motion, or they are damaged.
pub const FILE: i32 = 2;
/// A joint does not exist, or a length does not fit.
pub const RANGE: i32 = 3;
/// A defect of the library.
pub const DEFECT: i32 = 4;

/// Numbers of a joint in a pose.
pub const FLOATS: usize = 7;

/// An open file.
#[derive(Debug)]
pub struct Clip {
    compressed: Arc<Compressed>,
    /// Shared by clips that share their skeleton.
    names: Arc<Vec<CString>>,
}

impl Clip {
    fn new(compressed: Compressed) -> Clip {
        let names = compressed.skeleton().joints().iter().map(|joint| text(&joint.name)).collect();
        Clip { compressed: Arc::new(compressed), names: Arc::new(names) }
    }
}

/// A sampler of a clip.
#[derive(Debug)]
pub struct ClipSampler {
    // Dropped before the clip that it refers to.
    sampler: Sampler<'static>,
    clip: Arc<Compressed>,
}

impl ClipSampler {
    fn new(clip: &Clip, sampler: impl FnOnce(&'static Compressed) -> Sampler<'static>) -> *mut ClipSampler {
        let owner = clip.compressed.clone();
        // SAFETY: the clip is on the heap and does not change; the sampler is dropped before `clip`, which keeps it.
        let kept: &'static Compressed = unsafe { &*Arc::as_ptr(&owner) };
        Box::into_raw(Box::new(ClipSampler { sampler: sampler(kept), clip: owner }))
    }
}

// A pose in C is one in Rust: seven numbers for each joint.
const _: () = assert!(size_of::<Transform>() == FLOATS * size_of::<f32>());
const _: () = assert!(align_of::<Transform>() == align_of::<f32>());

/// The properties of a clip.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// Frames per second.
    pub fps: f64,
    /// From the first frame to the last one \[s\].
    pub duration: f64,
    /// Metres in one unit of translations.
    pub metres_per_unit: f64,
    /// The bound of the error \[m\].
    pub tolerance: f64,
    /// The number of frames.
    pub frames: u64,
    /// The number of joints.
    pub joints: u32,
    /// The profile as in the header of a file.
    pub profile: u32,
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

struct Failure(i32, String);

const fn null(what: &'static str) -> impl FnOnce() -> Failure {
    move || Failure(NULL, format!("{what} is null"))
}

/// Runs a call: its failure, or a panic, becomes a status and a message.
fn call(work: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let result = catch_unwind(AssertUnwindSafe(work));
    let result = result.unwrap_or_else(|_| Err(Failure(DEFECT, "a defect of the library".into())));
    let (status, message) =
        result.map_or_else(|Failure(status, message)| (status, message), |()| (OK, String::new()));
    // A thread that is ending has no thread-local storage.
    let _ = MESSAGE.try_with(|last| *last.borrow_mut() = text(&message));
    status
}

/// Frees an object that C owns.
///
/// # Safety
/// It is null or from `Box::into_raw`, and not used again.
unsafe fn free<T>(object: *mut T) {
    if !object.is_null() {
        call(|| {
            // SAFETY: from `Box::into_raw`, and not used again, as the caller says.
            drop(unsafe { Box::from_raw(object) });
            Ok(())
        });
    }
}

/// Text for C: a zero in it would end it.
fn text(text: &str) -> CString {
    CString::new(text.replace('\0', "\u{FFFD}")).unwrap_or_default()
}

/// Opens a file in memory.
///
/// # Safety
/// `bytes` is null or points to `length` bytes; `clip` is null or valid for writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mocap_open(bytes: *const u8, length: usize, clip: *mut *mut Clip) -> i32 {
    let open = |bytes: &[u8]| Compressed::open(bytes, &OpenLimits::default()).map(Clip::new);
    // SAFETY: as the caller says.
    unsafe { open_by(bytes, length, clip, open) }
}

/// Opens a file in memory that was verified before; `like` is null or a clip whose skeleton is shared where it is the same.
///
/// # Safety
/// As [`mocap_open`]; `like` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mocap_open_trusted(
    bytes: *const u8,
    length: usize,
    like: *const Clip,
    clip: *mut *mut Clip,
) -> i32 {
    let open = |bytes: &[u8]| -> Result<Clip, CompressError> {
        // SAFETY: null or valid, as the caller says.
        let like = unsafe { like.as_ref() };
        let skeleton = like.map(|like| &*like.compressed);
        let compressed = Compressed::open_trusted(bytes, skeleton, &OpenLimits::default())?;
        let shared = like.filter(|like| Arc::ptr_eq(like.compressed.skeleton(), compressed.skeleton()));
        Ok(match shared {
            Some(like) => Clip { compressed: Arc::new(compressed), names: like.names.clone() },
            None => Clip::new(compressed),
        })
    };
    // SAFETY: as the caller says.
    unsafe { open_by(bytes, length, clip, open) }
}

/// Opens a file in memory in one of both ways.
///
/// # Safety
/// As [`mocap_open`].
unsafe fn open_by(
    bytes: *const u8,
    length: usize,
    clip: *mut *mut Clip,
    open: impl FnOnce(&[u8]) -> Result<Clip, CompressError>,
) -> i32 {
    call(|| {
        if bytes.is_null() {
            return Err(null("bytes")());
        }
        if isize::try_from(length).is_err() {
            return Err(Failure(RANGE, format!("{length} bytes are more than memory can hold")));
        }
        // SAFETY: not null, and the caller says that it points to so many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(bytes, length) };
        // SAFETY: null or valid, as the caller says.
        let clip = unsafe { clip.as_mut() }.ok_or_else(null("clip"))?;
        *clip = std::ptr::null_mut();
        let opened = open(bytes).map_err(|error| Failure(FILE, format!("{}: {error}", error.code())))?;
        *clip = Box::into_raw(Box::new(opened));
        Ok(())
    })
}

/// Frees a clip.
///
/// # Safety
/// `clip` is null or from [`mocap_open`], and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mocap_close(clip: *mut Clip) {
    // SAFETY: as the caller says.
    unsafe { free(clip) }
}

/// The properties of a clip.
///
/// # Safety
/// Pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mocap_get_info(clip: *const Clip, info: *mut Info) -> i32 {
    call(|| {
        // SAFETY: null or valid, as the caller says.
        let clip = unsafe { clip.as_ref() }.ok_or_else(null("clip"))?;
        let found = clip.compressed.info();
        let written = Info {
            fps: found.rate.fps(),
            duration: found.frames.saturating_sub(1) as f64 / found.rate.fps(),
            metres_per_unit: found.metres_per_unit,
            tolerance: found.tolerance,
            frames: found.frames as u64,
            joints: clip.names.len() as u32,
            profile: match found.profile {
                Profile::Archive => 0,
                Profile::Runtime => 1,
                Profile::Keys => 2,
                Profile::Direct => 3,
            },
        };
        // SAFETY: null or valid for writing, as the caller says.
        *unsafe { info.as_mut() }.ok_or_else(null("info"))? = written;
        Ok(())
    })
}

/// The name and the parent of a joint.
///
/// # Safety
/// Pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mocap_get_joint(
    clip: *const Clip,
    joint: u32,
    name: *mut *const c_char,
    parent: *mut i32,
) -> i32 {
    call(|| {
        // SAFETY: null or valid, as the caller says.
        let clip = unsafe { clip.as_ref() }.ok_or_else(null("clip"))?;
        let found = clip.compressed.skeleton().joints().get(joint as usize);
        let found = found.ok_or_else(|| Failure(RANGE, format!("joint {joint} of {}", clip.names.len())))?;
        // SAFETY: null or valid for writing, as the caller says.
        let name = unsafe { name.as_mut() }.ok_or_else(null("name"))?;
        // SAFETY: null or valid for writing, as the caller says.
        let parent = unsafe { parent.as_mut() }.ok_or_else(null("parent"))?;
        *name = clip.names[joint as usize].as_ptr();
        *parent = found.parent.map_or(-1, |parent| parent.index() as i32);
        Ok(())
    })
}

/// A sampler of the joints that are not 0 in `mask`, of all where it is null.
///
/// # Safety
/// Pointers are null or valid; `mask` is null or has a byte for each joint.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mocap_sampler_new(
    clip: *const Clip,
    mask: *const u8,
    sampler: *mut *mut ClipSampler,
) -> i32 {
    call(|| {
        // SAFETY: null or valid, as the caller says.
        let clip = unsafe { clip.as_ref() }.ok_or_else(null("clip"))?;
        // SAFETY: null or valid for writing, as the caller says.
        let out = unsafe { sampler.as_mut() }.ok_or_else(null("sampler"))?;
        *out = std::ptr::null_mut();
        if mask.is_null() {
            *out = ClipSampler::new(clip, Compressed::sampler);
            return Ok(());
        }
        // SAFETY: not null, and a byte for each joint, as the caller says.
        let mask = unsafe { std::slice::from_raw_parts(mask, clip.names.len()) };
        let wanted: Vec<_> = (0..mask.len()).filter(|joint| mask[*joint] != 0).map(JointId::from).collect();
        *out = ClipSampler::new(clip, |kept| kept.sampler_of(&wanted));
        Ok(())
    })
}

/// A sampler of all joints that keeps no frames.
///
/// # Safety
/// Pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mocap_sampler_small(clip: *const Clip, sampler: *mut *mut ClipSampler) -> i32 {
    call(|| {
        // SAFETY: null or valid, as the caller says.
        let clip = unsafe { clip.as_ref() }.ok_or_else(null("clip"))?;
        // SAFETY: null or valid for writing, as the caller says.
        let out = unsafe { sampler.as_mut() }.ok_or_else(null("sampler"))?;
        *out = std::ptr::null_mut();
        *out = ClipSampler::new(clip, Compressed::small_sampler);
        Ok(())
    })
}

/// Frees a sampler.
///
/// # Safety
/// `sampler` is null or from [`mocap_sampler_new`], and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mocap_sampler_free(sampler: *mut ClipSampler) {
    // SAFETY: as the caller says.
    unsafe { free(sampler) }
}

/// The pose at a time.
///
/// # Safety
/// Pointers are null or valid; `pose` has room for `floats` numbers. No other thread uses the sampler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mocap_sample(
    sampler: *mut ClipSampler,
    time: f64,
    wrap: i32,
    pose: *mut f32,
    floats: usize,
) -> i32 {
    call(|| {
        // SAFETY: null or valid, and used by nobody else, as the caller says.
        let own = unsafe { sampler.as_mut() }.ok_or_else(null("sampler"))?;
        let joints = own.clip.skeleton().len();
        let needed = joints * FLOATS;
        if pose.is_null() {
            return Err(null("pose")());
        }
        if floats < needed {
            return Err(Failure(RANGE, format!("a pose of {floats} numbers, where {needed} are needed")));
        }
        // SAFETY: not null, aligned and as long, as the caller says; a transform is `FLOATS` numbers, of any bits. C may not
        // have written them yet, so they are before they are read.
        let pose = unsafe {
            pose.write_bytes(0, needed);
            std::slice::from_raw_parts_mut(pose.cast::<Transform>(), joints)
        };
        own.sampler.sample(time, if wrap == 0 { Looping::Clamp } else { Looping::Wrap }, pose);
        Ok(())
    })
}

/// The message of the last error in this thread.
#[unsafe(no_mangle)]
pub extern "C" fn mocap_message() -> *const c_char {
    MESSAGE.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
