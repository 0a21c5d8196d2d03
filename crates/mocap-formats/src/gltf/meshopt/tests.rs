use super::*;

/// The smallest coding of vertices: all bytes as they are, which `group_of` calls size 3.
fn packed(vertices: &[[u8; 4]]) -> Vec<u8> {
    let mut data = vec![0xa0];
    for byte in 0..4 {
        let groups = vertices.len().div_ceil(GROUP);
        data.extend(vec![0xff; groups.div_ceil(4)]);
        let mut last = 0u8;
        let mut steps: Vec<u8> = Vec::new();
        for vertex in vertices {
            let step = vertex[byte].wrapping_sub(last) as i8;
            steps.push(((step << 1) ^ (step >> 7)) as u8);
            last = vertex[byte];
        }
        steps.resize(groups * GROUP, 0);
        data.extend(steps);
    }
    // The vertex before the first one is zero.
    data.extend([0; 32]);
    data
}

#[test]
fn vertices_come_back() {
    let vertices: Vec<[u8; 4]> = (0..200u8).map(|i| [i, i.wrapping_mul(7), 255 - i, 3]).collect();
    let data = packed(&vertices);
    assert_eq!(attributes(&data, vertices.len(), 4).unwrap(), vertices.concat());
    for cut in 0..data.len() {
        assert!(attributes(&data[..cut], vertices.len(), 4).is_none(), "{cut}");
    }
}

#[test]
fn narrow_groups_have_bytes_behind_them() {
    // Two bits each: 1, 2, 3 (a byte follows), 0, and so on.
    let mut data: &[u8] = &[0b0110_1100, 0, 0, 0, 77];
    let values = group_of(&mut data, 1).unwrap();
    assert_eq!(&values[..4], [1, 2, 77, 0]);
    assert!(data.is_empty());
    let mut data: &[u8] = &[0x1f, 0, 0, 0, 0, 0, 0, 0xf0, 200, 201];
    let values = group_of(&mut data, 2).unwrap();
    assert_eq!((values[0], values[1], values[14], values[15]), (1, 200, 201, 0));
}

#[test]
fn triangles_and_sequences_come_back() {
    // The example of the reference: a quad of two triangles, then one that repeats its edge.
    let data = [
        0xe0, 0xf0, 0x10, 0xfe, 0xff, 0xf0, 0x0c, 0xff, 0x02, 0x02, 0x02, 0x00, 0x76, 0x87, 0x56, 0x67, 0x78,
        0xa9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
    ];
    assert_eq!(triangles(&data, 12).unwrap(), [0, 1, 2, 2, 1, 3, 4, 6, 5, 7, 8, 9]);
    let data = [0xd1, 0x00, 0x04, 0xcd, 0x01, 0x04, 0x07, 0x98, 0x1f, 0x00, 0x00, 0x00, 0x00];
    assert_eq!(sequence(&data, 6).unwrap(), [0, 1, 51, 2, 49, 1000]);
    assert!(triangles(&[0xe0, 0xf0], 3).is_none() && sequence(&[0xd1], 1).is_none());
}

#[test]
fn damaged_data_never_panic_and_give_as_much_as_was_asked_for() {
    let vertices: Vec<[u8; 4]> = (0..200u8).map(|i| [i, i.wrapping_mul(7), 255 - i, 3]).collect();
    let triangles = [
        0xe1, 0xf0, 0x10, 0xfe, 0xff, 0xf0, 0x0c, 0xff, 0x02, 0x02, 0x02, 0x00, 0x76, 0x87, 0x56, 0x67, 0x78,
        0xa9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
    ];
    let indices = [0xd1, 0x00, 0x04, 0xcd, 0x01, 0x04, 0x07, 0x98, 0x1f, 0x00, 0x00, 0x00, 0x00];
    let sources = [packed(&vertices), triangles.to_vec(), indices.to_vec()];
    let modes = ["ATTRIBUTES", "TRIANGLES", "INDICES"];
    let filters = [None, Some("OCTAHEDRAL"), Some("QUATERNION"), Some("EXPONENTIAL")];
    // A generator of numbers that are the same in every run.
    let mut state = 1u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let (mut read, mut refused) = (0, 0);
    for round in 0..20_000 {
        let mut data = sources[round % 3].clone();
        for _ in 0..next(6) {
            let (at, bit) = (next(data.len()), next(8));
            data[at] ^= 1 << bit;
        }
        data.truncate(data.len() - next(3).min(next(3)));
        let mode = modes[if next(20) == 0 { next(3) } else { round % 3 }];
        let stride = [4, 4, 8, 2, 12, 64, 256, 3][next(8)];
        let packed = Packed {
            buffer: 0,
            byte_offset: 0,
            byte_length: data.len(),
            byte_stride: stride,
            count: [200, 12, 6, 1, 0, 4000][next(6)],
            mode: mode.to_owned(),
            filter: filters[next(4)].map(str::to_owned),
        };
        match decoded(&packed, &[data.into()], "view") {
            Ok(bytes) => {
                read += 1;
                assert_eq!(bytes.len(), packed.count * stride, "{packed:?}");
            }
            Err(error) => {
                refused += 1;
                assert!(error.to_string().len() < 1000, "{error}");
            }
        }
    }
    assert!(read > 100 && refused > 100, "{read} read, {refused} refused");
}

#[test]
fn filters_give_unit_vectors() {
    let normal = octahedral([0.0, 0.0, 127.0], 127.0);
    assert_eq!(normal, [0.0, 0.0, 127.0]);
    let folded = octahedral([100.0, 60.0, 127.0], 127.0);
    assert!((folded.iter().map(|part| part * part).sum::<f32>().sqrt() - 127.0).abs() < 1.0);
    assert!(folded[2] < 0.0);
    // No turn: the last part is missing and is the largest.
    assert_eq!(quaternion([0, 0, 0, 0x7fff]), [0, 0, 0, 32767]);
    assert_eq!(filtered(vec![1, 0, 0, 1], "EXPONENTIAL", 4).unwrap(), 2f32.to_le_bytes());
    assert!(filtered(vec![0; 12], "QUATERNION", 12).is_none());
}
