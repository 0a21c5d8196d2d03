"""Windows of motion in a PyTorch training loop."""

import mocap
import torch

for row in mocap.batch.convert("fixtures/clips/", to="npz", out="arrays/", include=["alex*.bvh"], resume=True):
    print(row.get("output", row))

dataset = mocap.Dataset("arrays/", window=64, stride=16, keys=["rotations", "root_translation"])
loader = torch.utils.data.DataLoader(dataset, batch_size=8, shuffle=True)
for batch in loader:
    print(batch["rotations"].shape)
