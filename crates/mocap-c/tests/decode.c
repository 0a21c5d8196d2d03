/* Prints what a file is, and its pose at a time, of all joints and of the first one only. */
#include "mocap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what) {
    printf("%s: %s\n", what, mocap_message());
    return 1;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    FILE *file = fopen(arguments[1], "rb");
    if (!file) return 2;
    static uint8_t bytes[1 << 20];
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);

    mocap_clip *clip = NULL;
    mocap_sampler *all = NULL, *one = NULL, *small = NULL;
    mocap_info info;
    if (mocap_open(bytes, length / 2, &clip) != MOCAP_FILE || clip) return fail("half a file");
    printf("%s\n", mocap_message());
    if (mocap_open(NULL, 0, &clip) != MOCAP_NULL) return fail("no file");
    if (mocap_open(bytes, length, &clip) != MOCAP_OK) return fail("open");
    if (mocap_get_info(clip, &info) != MOCAP_OK) return fail("info");
    printf("%u %llu %.17g %.17g %u\n", info.joints, (unsigned long long)info.frames, info.fps, info.duration,
           info.profile);
    for (uint32_t joint = 0; joint < info.joints; joint++) {
        const char *name;
        int32_t parent;
        if (mocap_get_joint(clip, joint, &name, &parent) != MOCAP_OK) return fail("joint");
        printf("%s %d\n", name, parent);
    }
    const char *name;
    int32_t parent;
    if (mocap_get_joint(clip, info.joints, &name, &parent) != MOCAP_RANGE) return fail("no joint");
    if (mocap_get_joint(clip, UINT32_MAX, &name, &parent) != MOCAP_RANGE) return fail("the last number of a joint");
    /* Null anywhere, and lengths that no memory has. */
    mocap_clip *other = NULL;
    if (mocap_open(bytes, length, NULL) != MOCAP_NULL) return fail("open to nowhere");
    if (mocap_open(bytes, SIZE_MAX, &other) != MOCAP_RANGE || other) return fail("all memory");
    if (mocap_open(bytes, 0, &other) != MOCAP_FILE || other) return fail("no bytes");
    if (mocap_get_info(NULL, &info) != MOCAP_NULL) return fail("info of nothing");
    if (mocap_get_info(clip, NULL) != MOCAP_NULL) return fail("info to nowhere");
    if (mocap_get_joint(NULL, 0, &name, &parent) != MOCAP_NULL) return fail("joint of nothing");
    if (mocap_get_joint(clip, 0, NULL, &parent) != MOCAP_NULL) return fail("name to nowhere");
    if (mocap_get_joint(clip, 0, &name, NULL) != MOCAP_NULL) return fail("parent to nowhere");
    if (mocap_sampler_new(NULL, NULL, &all) != MOCAP_NULL) return fail("sampler of nothing");
    if (mocap_sampler_new(clip, NULL, NULL) != MOCAP_NULL) return fail("sampler to nowhere");
    if (mocap_sampler_small(NULL, &all) != MOCAP_NULL) return fail("small sampler of nothing");
    if (mocap_sampler_small(clip, NULL) != MOCAP_NULL) return fail("small sampler to nowhere");
    if (mocap_sample(NULL, 0.0, 0, NULL, 0) != MOCAP_NULL) return fail("sample of nothing");

    /* Trusted, alone and like another clip: the same names and the same poses. */
    mocap_clip *trusted = NULL, *alike = NULL;
    if (mocap_open_trusted(bytes, length, NULL, NULL) != MOCAP_NULL) return fail("trusted to nowhere");
    if (mocap_open_trusted(NULL, length, clip, &trusted) != MOCAP_NULL) return fail("no trusted file");
    if (mocap_open_trusted(bytes, length / 2, clip, &trusted) != MOCAP_FILE || trusted) return fail("half a trusted file");
    if (mocap_open_trusted(bytes, length, NULL, &trusted) != MOCAP_OK) return fail("open trusted");
    if (mocap_open_trusted(bytes, length, trusted, &alike) != MOCAP_OK) return fail("open alike");
    for (uint32_t joint = 0; joint < info.joints; joint++) {
        const char *names[3];
        if (mocap_get_joint(clip, joint, &names[0], &parent) != MOCAP_OK) return fail("joint");
        if (mocap_get_joint(trusted, joint, &names[1], &parent) != MOCAP_OK) return fail("joint of a trusted file");
        if (mocap_get_joint(alike, joint, &names[2], &parent) != MOCAP_OK) return fail("joint of a file like it");
        if (strcmp(names[0], names[1]) || names[1] != names[2]) return fail("names of a trusted file");
    }
    mocap_close(trusted);

    uint8_t *mask = calloc(info.joints, 1);
    mask[0] = 1;
    if (mocap_sampler_new(alike, NULL, &all) != MOCAP_OK) return fail("sampler");
    if (mocap_sampler_new(clip, mask, &one) != MOCAP_OK) return fail("sampler of one");
    free(mask);
    if (mocap_sampler_small(clip, &small) != MOCAP_OK) return fail("small sampler");
    mocap_close(clip);
    mocap_close(alike);
    size_t floats = (size_t)info.joints * MOCAP_FLOATS;
    float *pose = malloc(floats * sizeof *pose);
    if (mocap_sample(all, 0.0, 0, pose, floats - 1) != MOCAP_RANGE) return fail("a short pose");
    if (mocap_sample(all, 0.0, 0, NULL, floats) != MOCAP_NULL) return fail("a pose to nowhere");
    /* Any time gives a pose: the first frame, the last one, or one between. */
    const double times[] = {NAN, INFINITY, -INFINITY, -1e308, 1e308, -1e-300};
    for (size_t at = 0; at < 2 * sizeof times / sizeof *times; at++) {
        if (mocap_sample(all, times[at / 2], at % 2, pose, floats) != MOCAP_OK) return fail("a time");
        for (size_t number = 0; number < floats; number++)
            if (!isfinite(pose[number])) return fail("a pose that is not finite");
    }
    for (int sampler = 0; sampler < 2; sampler++) {
        if (mocap_sample(sampler ? one : all, atof(arguments[2]), 1, pose, floats) != MOCAP_OK) return fail("sample");
        for (size_t at = 0; at < floats; at++) printf("%.9g ", pose[at]);
        printf("\n");
    }
    float *again = malloc(floats * sizeof *again);
    for (int step = 0; step < 100; step++) {
        if (mocap_sample(all, step * 0.037, step % 2, pose, floats) != MOCAP_OK) return fail("sample");
        if (mocap_sample(small, step * 0.037, step % 2, again, floats) != MOCAP_OK) return fail("small sample");
        if (memcmp(pose, again, floats * sizeof *again)) return fail("a pose of a small sampler");
    }
    free(again);
    free(pose);
    mocap_sampler_free(small);
    mocap_sampler_free(all);
    mocap_sampler_free(one);
    mocap_sampler_free(NULL);
    return 0;
}
