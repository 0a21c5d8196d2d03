/* Plays compressed motion (.mocz files). Link with libmocap_c.
 *
 * All functions are safe to call from several threads, but for one sampler from one thread at a time. None of them
 * unwinds or exits: what goes wrong is a status, and mocap_message() says what it was.
 */
#ifndef MOCAP_H
#define MOCAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mocap_clip mocap_clip;
typedef struct mocap_sampler mocap_sampler;

typedef int32_t mocap_status;
#define MOCAP_OK 0
/* A pointer is null. */
#define MOCAP_NULL 1
/* The bytes are not a compressed motion, or they are damaged. */
#define MOCAP_FILE 2
/* A joint does not exist, or a length does not fit. */
#define MOCAP_RANGE 3
/* A defect of the library. */
#define MOCAP_DEFECT 4

typedef struct {
    double fps;             /* frames per second */
    double duration;        /* from the first frame to the last one [s] */
    double metres_per_unit; /* of translations */
    double tolerance;       /* the bound of the error [m] */
    uint64_t frames;
    uint32_t joints;
    uint32_t profile; /* 0 archive, 1 runtime, 2 keys, 3 direct */
} mocap_info;

/* Numbers of a joint in a pose: its rotation x, y, z, w and its translation x, y, z in the frame of its parent. */
#define MOCAP_FLOATS 7

/* Opens a file in memory; the bytes are copied and checked. */
mocap_status mocap_open(const uint8_t *bytes, size_t length, mocap_clip **clip);
/* As mocap_open, of bytes that were verified before, such as those of a game's own package: checksums are not computed.
 * Bytes that are damaged nevertheless give an error or another motion, and nothing worse. `like` is a clip or null: its
 * skeleton is shared where it is the same, and not read, which is most of the work. `like` may be closed before. */
mocap_status mocap_open_trusted(const uint8_t *bytes, size_t length, const mocap_clip *like, mocap_clip **clip);
/* Frees a clip; its samplers stay valid. Null is fine. */
void mocap_close(mocap_clip *clip);

mocap_status mocap_get_info(const mocap_clip *clip, mocap_info *info);
/* The name of a joint in UTF-8, valid until the clip is closed, and its parent: -1 for a root. Parents come first. */
mocap_status mocap_get_joint(const mocap_clip *clip, uint32_t joint, const char **name, int32_t *parent);

/* A sampler. `mask` has a byte for each joint, 0 for those that are not needed: they stay at rest. Null: all joints. */
mocap_status mocap_sampler_new(const mocap_clip *clip, const uint8_t *mask, mocap_sampler **sampler);
/* A sampler of all joints that keeps no frames, for programs that play many clips at once. Of the profile `direct` it
 * takes less than 1 kB, and sampling allocates nothing once a clip has given two poses; every pose costs that of a
 * random one. Of other profiles it is that of mocap_sampler_new. The poses are the same. */
mocap_status mocap_sampler_small(const mocap_clip *clip, mocap_sampler **sampler);
/* Frees a sampler. Null is fine. */
void mocap_sampler_free(mocap_sampler *sampler);

/* The pose at a time [s] from the first frame: MOCAP_FLOATS numbers for each joint. Beyond the ends the motion is held,
 * or starts over where `wrap` is not 0. A time that is not a number counts as 0. `floats` is the room in `pose`. */
mocap_status mocap_sample(mocap_sampler *sampler, double time, int32_t wrap, float *pose, size_t floats);

/* What went wrong in this thread last, in English; valid until the next call in it. */
const char *mocap_message(void);

#ifdef __cplusplus
}
#endif

#endif
