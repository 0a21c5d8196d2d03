//! The hierarchies and names of capture systems, databases and research.

pub(super) const SMPL: &str = "
Pelvis: Hips
 @_Hip: UpperLeg
  @_Knee: LowerLeg
   @_Ankle: Foot
    @_Foot: Toes
 Spine1: Trunk 0.2
  Spine2: Trunk 0.45
   Spine3: Trunk 0.6
    Neck: Neck 0
     Head: Head
    @_Collar: Shoulder
     @_Shoulder: UpperArm
      @_Elbow: LowerArm
       @_Wrist: Hand
        @_Hand: =Middle1
";

pub(super) const CMU: &str = "
Hips: Hips
 #HipJoint: =Hips
  @UpLeg: UpperLeg
   @Leg: LowerLeg
    @Foot: Foot
     @ToeBase: Toes
 LowerBack: Trunk 0.01
  Spine: Trunk 0.3
   Spine1: Trunk 0.65
    Neck: Neck 0
     Neck1: Neck 0.4
      Head: Head
    @Shoulder: Shoulder
     @Arm: UpperArm
      @ForeArm: LowerArm
       @Hand: Hand
        @FingerBase: =Hand
         @HandIndex1: Index1
        #Thumb: =Thumb1
";

pub(super) const CMU_ASF: &str = "
root: Hips
 @hipjoint: =Hips
  @femur: UpperLeg
   @tibia: LowerLeg
    @foot: Foot
     @toes: Toes
 lowerback: Trunk 0.01
  upperback: Trunk 0.3
   thorax: Trunk 0.65
    lowerneck: Neck 0
     upperneck: Neck 0.4
      head: Head
    @clavicle: Shoulder
     @humerus: UpperArm
      @radius: LowerArm
       @wrist: Hand
        @hand: =Hand
         @fingers: =Middle1
        @thumb: =Thumb1
";

pub(super) const LAFAN: &str = "
Hips: Hips
 @UpLeg: UpperLeg
  @Leg: LowerLeg
   @Foot: Foot
    @Toe: Toes
 Spine: Trunk 0.15
  Spine1: Trunk 0.4
   Spine2: Trunk 0.65
    Neck: Neck 0
     Head: Head
    @Shoulder: Shoulder
     @Arm: UpperArm
      @ForeArm: LowerArm
       @Hand: Hand
";

pub(super) const XSENS: &str = "
Hips: Hips
 Chest: Trunk 0.15
  Chest2: Trunk 0.32
   Chest3: Trunk 0.49
    Chest4: Trunk 0.66
     Neck: Neck 0
      Head: Head
     @Collar: Shoulder
      @Shoulder: UpperArm
       @Elbow: LowerArm
        @Wrist: Hand
 @Hip: UpperLeg
  @Knee: LowerLeg
   @Ankle: Foot
    @Toe: Toes
";

pub(super) const XSENS_MVN: &str = "
Pelvis: Hips
 L5: Trunk 0.15
  L3: Trunk 0.32
   T12: Trunk 0.49
    T8: Trunk 0.66
     Neck: Neck 0
      Head: Head
     @Shoulder: Shoulder
      @UpperArm: UpperArm
       @ForeArm: LowerArm
        @Hand: Hand
 @UpperLeg: UpperLeg
  @LowerLeg: LowerLeg
   @Foot: Foot
    @Toe: Toes
";

pub(super) const BANDAI: &str = "
joint_Root: Floor
 Hips: Hips
  Spine: Trunk 0.3
   Chest: Trunk 0.55
    Neck: Neck 0
     Head: Head
    Shoulder_@: Shoulder
     UpperArm_@: UpperArm
      LowerArm_@: LowerArm
       Hand_@: Hand
  UpperLeg_@: UpperLeg
   LowerLeg_@: LowerLeg
    Foot_@: Foot
     Toes_@: Toes
";

pub(super) const ROKOKO: &str = "
Hips: Hips
 Spine1: Trunk 0.1
  Spine2: Trunk 0.25
   Spine3: Trunk 0.45
    Spine4: Trunk 0.65
     Neck: Neck 0
      Head: Head
     @Shoulder: Shoulder
      @Arm: UpperArm
       @ForeArm: LowerArm
        @Hand: Hand
         @Finger1Metacarpal: Thumb1
          @Finger1Proximal: Thumb2
           @Finger1Distal: Thumb3
            @Finger1Tip: Thumb4
         @Finger2Metacarpal: Index0
          @Finger2Proximal: Index1
           @Finger2Medial: Index2
            @Finger2Distal: Index3
             @Finger2Tip: Index4
         @Finger3Metacarpal: Middle0
          @Finger3Proximal: Middle1
           @Finger3Medial: Middle2
            @Finger3Distal: Middle3
             @Finger3Tip: Middle4
         @Finger4Metacarpal: Ring0
          @Finger4Proximal: Ring1
           @Finger4Medial: Ring2
            @Finger4Distal: Ring3
             @Finger4Tip: Ring4
         @Finger5Metacarpal: Little0
          @Finger5Proximal: Little1
           @Finger5Medial: Little2
            @Finger5Distal: Little3
             @Finger5Tip: Little4
 @Thigh: UpperLeg
  @Shin: LowerLeg
   @Foot: Foot
    @Toe: Toes
     @ToeTip: ToeEnd
";
