//! The hierarchies and names of engines and of tools for characters.

pub(super) const UNREAL: &str = "
root: Floor
 pelvis: Hips
  spine_01: Trunk 0.15
   spine_02: Trunk 0.4
    spine_03: Trunk 0.65
     clavicle_@: Shoulder
      upperarm_@: UpperArm
       lowerarm_@: LowerArm
        hand_@: Hand
         thumb_01_@: Thumb1
          thumb_02_@: Thumb2
           thumb_03_@: Thumb3
         index_01_@: Index1
          index_02_@: Index2
           index_03_@: Index3
         middle_01_@: Middle1
          middle_02_@: Middle2
           middle_03_@: Middle3
         ring_01_@: Ring1
          ring_02_@: Ring2
           ring_03_@: Ring3
         pinky_01_@: Little1
          pinky_02_@: Little2
           pinky_03_@: Little3
        lowerarm_twist_01_@: LowerArm>Hand 0.6
       upperarm_twist_01_@: UpperArm>LowerArm 0.1
     neck_01: Neck 0
      head: Head
  thigh_@: UpperLeg
   calf_@: LowerLeg
    calf_twist_01_@: LowerLeg>Foot 0.5
    foot_@: Foot
     ball_@: Toes
   thigh_twist_01_@: UpperLeg>LowerLeg 0.5
 ik_foot_root: Floor
  ik_foot_@: =Foot
 ik_hand_root: Floor
  ik_hand_gun: Floor
   ik_hand_@: =Hand
";

pub(super) const UNREAL5: &str = "
root: Floor
 pelvis: Hips
  spine_01: Trunk 0.08
   spine_02: Trunk 0.2
    spine_03: Trunk 0.36
     spine_04: Trunk 0.52
      spine_05: Trunk 0.72
       clavicle_@: Shoulder
        upperarm_@: UpperArm
         lowerarm_@: LowerArm
          hand_@: Hand
           thumb_01_@: Thumb1
            thumb_02_@: Thumb2
             thumb_03_@: Thumb3
           index_metacarpal_@: Index0
            index_01_@: Index1
             index_02_@: Index2
              index_03_@: Index3
           middle_metacarpal_@: Middle0
            middle_01_@: Middle1
             middle_02_@: Middle2
              middle_03_@: Middle3
           ring_metacarpal_@: Ring0
            ring_01_@: Ring1
             ring_02_@: Ring2
              ring_03_@: Ring3
           pinky_metacarpal_@: Little0
            pinky_01_@: Little1
             pinky_02_@: Little2
              pinky_03_@: Little3
          lowerarm_twist_02_@: LowerArm>Hand 0.33
          lowerarm_twist_01_@: LowerArm>Hand 0.67
         upperarm_twist_01_@: UpperArm>LowerArm 0.1
         upperarm_twist_02_@: UpperArm>LowerArm 0.5
       neck_01: Neck 0
        neck_02: Neck 0.5
         head: Head
  thigh_@: UpperLeg
   calf_@: LowerLeg
    foot_@: Foot
     ball_@: Toes
    calf_twist_02_@: LowerLeg>Foot 0.33
    calf_twist_01_@: LowerLeg>Foot 0.67
   thigh_twist_01_@: UpperLeg>LowerLeg 0.33
   thigh_twist_02_@: UpperLeg>LowerLeg 0.67
 ik_foot_root: Floor
  ik_foot_@: =Foot
 ik_hand_root: Floor
  ik_hand_gun: Floor
   ik_hand_@: =Hand
 interaction: Floor
 center_of_mass: Floor
";

pub(super) const UNITY: &str = "
Hips: Hips
 Spine: Trunk 0.15
  Chest: Trunk 0.4
   UpperChest: Trunk 0.65
    Neck: Neck 0
     Head: Head
    @Shoulder: Shoulder
     @UpperArm: UpperArm
      @LowerArm: LowerArm
       @Hand: Hand
        @ThumbProximal: Thumb1
         @ThumbIntermediate: Thumb2
          @ThumbDistal: Thumb3
        @IndexProximal: Index1
         @IndexIntermediate: Index2
          @IndexDistal: Index3
        @MiddleProximal: Middle1
         @MiddleIntermediate: Middle2
          @MiddleDistal: Middle3
        @RingProximal: Ring1
         @RingIntermediate: Ring2
          @RingDistal: Ring3
        @LittleProximal: Little1
         @LittleIntermediate: Little2
          @LittleDistal: Little3
 @UpperLeg: UpperLeg
  @LowerLeg: LowerLeg
   @Foot: Foot
    @Toes: Toes
";

pub(super) const VRM: &str = "
Root: Floor
 J_Bip_C_Hips: Hips
  J_Bip_C_Spine: Trunk 0.15
   J_Bip_C_Chest: Trunk 0.4
    J_Bip_C_UpperChest: Trunk 0.65
     J_Bip_C_Neck: Neck 0
      J_Bip_C_Head: Head
     J_Bip_@_Shoulder: Shoulder
      J_Bip_@_UpperArm: UpperArm
       J_Bip_@_LowerArm: LowerArm
        J_Bip_@_Hand: Hand
         J_Bip_@_Thumb1: Thumb1
          J_Bip_@_Thumb2: Thumb2
           J_Bip_@_Thumb3: Thumb3
         J_Bip_@_Index1: Index1
          J_Bip_@_Index2: Index2
           J_Bip_@_Index3: Index3
         J_Bip_@_Middle1: Middle1
          J_Bip_@_Middle2: Middle2
           J_Bip_@_Middle3: Middle3
         J_Bip_@_Ring1: Ring1
          J_Bip_@_Ring2: Ring2
           J_Bip_@_Ring3: Ring3
         J_Bip_@_Little1: Little1
          J_Bip_@_Little2: Little2
           J_Bip_@_Little3: Little3
  J_Bip_@_UpperLeg: UpperLeg
   J_Bip_@_LowerLeg: LowerLeg
    J_Bip_@_Foot: Foot
     J_Bip_@_ToeBase: Toes
";

pub(super) const MIXAMO: &str = "
mixamorig:Hips: Hips
 mixamorig:Spine: Trunk 0.15
  mixamorig:Spine1: Trunk 0.4
   mixamorig:Spine2: Trunk 0.65
    mixamorig:Neck: Neck 0
     mixamorig:Head: Head
      mixamorig:HeadTop_End: HeadTop
    mixamorig:@Shoulder: Shoulder
     mixamorig:@Arm: UpperArm
      mixamorig:@ForeArm: LowerArm
       mixamorig:@Hand: Hand
        mixamorig:@HandThumb1: Thumb1
         mixamorig:@HandThumb2: Thumb2
          mixamorig:@HandThumb3: Thumb3
           mixamorig:@HandThumb4: Thumb4
        mixamorig:@HandIndex1: Index1
         mixamorig:@HandIndex2: Index2
          mixamorig:@HandIndex3: Index3
           mixamorig:@HandIndex4: Index4
        mixamorig:@HandMiddle1: Middle1
         mixamorig:@HandMiddle2: Middle2
          mixamorig:@HandMiddle3: Middle3
           mixamorig:@HandMiddle4: Middle4
        mixamorig:@HandRing1: Ring1
         mixamorig:@HandRing2: Ring2
          mixamorig:@HandRing3: Ring3
           mixamorig:@HandRing4: Ring4
        mixamorig:@HandPinky1: Little1
         mixamorig:@HandPinky2: Little2
          mixamorig:@HandPinky3: Little3
           mixamorig:@HandPinky4: Little4
 mixamorig:@UpLeg: UpperLeg
  mixamorig:@Leg: LowerLeg
   mixamorig:@Foot: Foot
    mixamorig:@ToeBase: Toes
     mixamorig:@Toe_End: ToeEnd
";

pub(super) const ICLONE: &str = "
RL_BoneRoot: Floor
 CC_Base_Hip: Hips
  CC_Base_Pelvis: =Hips
   CC_Base_@_Thigh: UpperLeg
    CC_Base_@_Calf: LowerLeg
     CC_Base_@_Foot: Foot
      CC_Base_@_ToeBaseShareBone: =Toes
      CC_Base_@_ToeBase: Toes
     CC_Base_@_CalfTwist01: LowerLeg>Foot 0.33
     CC_Base_@_CalfTwist02: LowerLeg>Foot 0.67
     CC_Base_@_KneeShareBone: =LowerLeg
    CC_Base_@_ThighTwist01: UpperLeg>LowerLeg 0.33
    CC_Base_@_ThighTwist02: UpperLeg>LowerLeg 0.67
  CC_Base_Waist: Trunk 0.15
   CC_Base_Spine01: Trunk 0.25
    CC_Base_Spine02: Trunk 0.55
     CC_Base_NeckTwist01: Neck 0
      CC_Base_NeckTwist02: Neck 0.5
       CC_Base_Head: Head
     CC_Base_@_Clavicle: Shoulder
      CC_Base_@_Upperarm: UpperArm
       CC_Base_@_Forearm: LowerArm
        CC_Base_@_ForearmTwist01: LowerArm>Hand 0.33
        CC_Base_@_ForearmTwist02: LowerArm>Hand 0.67
        CC_Base_@_ElbowShareBone: =LowerArm
        CC_Base_@_Hand: Hand
         CC_Base_@_Thumb1: Thumb1
          CC_Base_@_Thumb2: Thumb2
           CC_Base_@_Thumb3: Thumb3
         CC_Base_@_Index1: Index1
          CC_Base_@_Index2: Index2
           CC_Base_@_Index3: Index3
         CC_Base_@_Mid1: Middle1
          CC_Base_@_Mid2: Middle2
           CC_Base_@_Mid3: Middle3
         CC_Base_@_Ring1: Ring1
          CC_Base_@_Ring2: Ring2
           CC_Base_@_Ring3: Ring3
         CC_Base_@_Pinky1: Little1
          CC_Base_@_Pinky2: Little2
           CC_Base_@_Pinky3: Little3
       CC_Base_@_UpperarmTwist01: UpperArm>LowerArm 0.33
       CC_Base_@_UpperarmTwist02: UpperArm>LowerArm 0.67
";

pub(super) const BIPED: &str = "
Bip01: =Hips
 Bip01 Pelvis: Hips
  Bip01 Spine: Trunk 0.15
   Bip01 Spine1: Trunk 0.4
    Bip01 Spine2: Trunk 0.65
     Bip01 Neck: Neck 0
      Bip01 Head: Head
       Bip01 HeadNub: HeadTop
      Bip01 @ Clavicle: Shoulder
       Bip01 @ UpperArm: UpperArm
        Bip01 @ Forearm: LowerArm
         Bip01 @ Hand: Hand
          Bip01 @ Finger0: Thumb1
           Bip01 @ Finger01: Thumb2
            Bip01 @ Finger02: Thumb3
             Bip01 @ Finger0Nub: Thumb4
          Bip01 @ Finger1: Index1
           Bip01 @ Finger11: Index2
            Bip01 @ Finger12: Index3
             Bip01 @ Finger1Nub: Index4
          Bip01 @ Finger2: Middle1
           Bip01 @ Finger21: Middle2
            Bip01 @ Finger22: Middle3
             Bip01 @ Finger2Nub: Middle4
          Bip01 @ Finger3: Ring1
           Bip01 @ Finger31: Ring2
            Bip01 @ Finger32: Ring3
             Bip01 @ Finger3Nub: Ring4
          Bip01 @ Finger4: Little1
           Bip01 @ Finger41: Little2
            Bip01 @ Finger42: Little3
             Bip01 @ Finger4Nub: Little4
  Bip01 @ Thigh: UpperLeg
   Bip01 @ Calf: LowerLeg
    Bip01 @ Foot: Foot
     Bip01 @ Toe0: Toes
      Bip01 @ Toe0Nub: ToeEnd
";
