"""Names that exporters, games and languages give to the joints of ``person``."""

from __future__ import annotations

from collections.abc import Callable

from .bodies import names, numbered, with_sides

Rename = Callable[[str], str]

CONVENTIONS: dict[str, Rename] = {
    "mixamo": names(
        """
        hips mixamorig:Hips; spine mixamorig:Spine; chest mixamorig:Spine2; neck
        mixamorig:Neck; head mixamorig:Head; eye mixamorig:@Eye; clavicle
        mixamorig:@Shoulder; upperarm mixamorig:@Arm; forearm mixamorig:@ForeArm;
        hand mixamorig:@Hand; thumb1 mixamorig:@HandThumb1; index1
        mixamorig:@HandIndex1; index2 mixamorig:@HandIndex2; middle1
        mixamorig:@HandMiddle1; thigh mixamorig:@UpLeg; shin mixamorig:@Leg; foot
        mixamorig:@Foot; toe mixamorig:@ToeBase
        """,
        ("Left", "Right"),
    ),
    "rigify": names(
        """
        hips DEF-spine; spine DEF-spine.001; chest DEF-spine.003; neck
        DEF-spine.005; head DEF-spine.006; eye DEF-eye.@; clavicle DEF-shoulder.@;
        upperarm DEF-upper_arm.@; forearm DEF-forearm.@; hand DEF-hand.@; thumb1
        DEF-thumb.01.@; index1 DEF-f_index.01.@; thigh DEF-thigh.@; shin DEF-shin.@;
        foot DEF-foot.@; toe DEF-toe.@
        """
    ),
    "vrm": names(
        """
        hips J_Bip_C_Hips; spine J_Bip_C_Spine; chest J_Bip_C_UpperChest; neck
        J_Bip_C_Neck; head J_Bip_C_Head; eye J_Adj_@_FaceEye; clavicle
        J_Bip_@_Shoulder; upperarm J_Bip_@_UpperArm; forearm J_Bip_@_LowerArm; hand
        J_Bip_@_Hand; thumb1 J_Bip_@_Thumb1; thigh J_Bip_@_UpperLeg; shin
        J_Bip_@_LowerLeg; foot J_Bip_@_Foot; toe J_Bip_@_ToeBase
        """
    ),
    "unreal": names(
        """
        hips pelvis; spine spine_01; chest spine_03; neck neck_01; eye FACIAL_@_Eye;
        clavicle clavicle_@; upperarm upperarm_@; forearm lowerarm_@; hand hand_@;
        thumb1 thumb_01_@; thigh thigh_@; shin calf_@; foot foot_@; toe ball_@
        """,
        ("l", "r"),
    ),
    "3ds": names(
        """
        hips Bip01 Pelvis; spine Bip01 Spine; chest Bip01 Spine1; neck Bip01 Neck;
        head Bip01 Head; eye Bip01 @ Eye; clavicle Bip01 @ Clavicle; upperarm Bip01
        @ UpperArm; forearm Bip01 @ Forearm; hand Bip01 @ Hand; thumb1 Bip01 @
        Finger0; index1 Bip01 @ Finger1; index2 Bip01 @ Finger11; middle1 Bip01 @
        Finger2; thigh Bip01 @ Thigh; shin Bip01 @ Calf; foot Bip01 @ Foot; toe
        Bip01 @ Toe0
        """
    ),
    "makehuman": names(
        """
        hips root; spine spine04; chest spine01; neck neck01; eye eye.@; clavicle
        clavicle.@; upperarm upperarm01.@; forearm lowerarm01.@; hand wrist.@;
        thumb1 finger1-1.@; index1 metacarpal1.@; index2 finger2-1.@; middle1
        metacarpal2.@; thigh upperleg01.@; shin lowerleg01.@; foot foot.@; toe
        toe1-1.@
        """
    ),
    "daz": names(
        """
        hips hip; spine abdomen; eye @Eye; clavicle @Collar; upperarm @Shldr;
        forearm @ForeArm; hand @Hand; thumb1 @Thumb1; index1 @Index1; index2
        @Index2; middle1 @Mid1; thigh @Thigh; shin @Shin; foot @Foot; toe @Toe
        """,
        ("l", "r"),
    ),
    "quaternius": names(
        """
        hips Hips; spine Abdomen; chest Torso; neck Neck; head Head; eye Eye.@;
        clavicle Shoulder.@; upperarm UpperArm.@; forearm LowerArm.@; hand Fist.@;
        thumb1 Thumb1.@; thigh UpperLeg.@; shin LowerLeg.@; foot Foot.@; toe Toes.@
        """
    ),
    "joints": names(
        """
        hips Root_M; spine Spine1_M; chest Chest_M; neck Neck_M; head Head_M; eye
        Eye_@; clavicle Scapula_@; upperarm Shoulder_@; forearm Elbow_@; hand
        Wrist_@; thumb1 ThumbFinger1_@; index1 IndexFinger1_@; index2
        IndexFinger2_@; middle1 MiddleFinger1_@; thigh Hip_@; shin Knee_@; foot
        Ankle_@; toe Toes_@
        """
    ),
    "second life": names(
        """
        hips mPelvis; spine mTorso; chest mChest; neck mNeck; head mHead; eye mEye@;
        clavicle mCollar@; upperarm mShoulder@; forearm mElbow@; hand mWrist@; thumb1
        mHandThumb1@; index1 mHandIndex1@; index2 mHandIndex2@; middle1 mHandMiddle1@;
        thigh mHip@; shin mKnee@; foot mAnkle@; toe mFoot@
        """,
        ("Left", "Right"),
    ),
    "valve": names(
        """
        hips ValveBiped.Bip01_Pelvis; spine ValveBiped.Bip01_Spine; chest
        ValveBiped.Bip01_Spine2; neck ValveBiped.Bip01_Neck1; head
        ValveBiped.Bip01_Head1; eye ValveBiped.@_eye; clavicle
        ValveBiped.Bip01_@_Clavicle; upperarm ValveBiped.Bip01_@_UpperArm; forearm
        ValveBiped.Bip01_@_Forearm; hand ValveBiped.Bip01_@_Hand; thumb1
        ValveBiped.Bip01_@_Finger0; index1 ValveBiped.Bip01_@_Finger1; index2
        ValveBiped.Bip01_@_Finger11; middle1 ValveBiped.Bip01_@_Finger2; thigh
        ValveBiped.Bip01_@_Thigh; shin ValveBiped.Bip01_@_Calf; foot
        ValveBiped.Bip01_@_Foot; toe ValveBiped.Bip01_@_Toe0
        """
    ),
    "smpl": names(
        """
        hips Pelvis; spine Spine1; chest Spine3; neck Neck; head Head; eye @_eye;
        clavicle @_Collar; upperarm @_Shoulder; forearm @_Elbow; hand @_Wrist; thumb1
        @_thumb1; index1 @_index1; index2 @_index2; middle1 @_middle1; thigh @_Hip;
        shin @_Knee; foot @_Ankle; toe @_Foot
        """
    ),
    "character creator": names(
        """
        hips CC_Base_Hip; spine CC_Base_Waist; chest CC_Base_Spine02; neck
        CC_Base_NeckTwist01; head CC_Base_Head; eye CC_Base_@_Eye; clavicle
        CC_Base_@_Clavicle; upperarm CC_Base_@_Upperarm; forearm CC_Base_@_Forearm;
        hand CC_Base_@_Hand; thumb1 CC_Base_@_Thumb1; index1 CC_Base_@_Index1; index2
        CC_Base_@_Index2; middle1 CC_Base_@_Mid1; thigh CC_Base_@_Thigh; shin
        CC_Base_@_Calf; foot CC_Base_@_Foot; toe CC_Base_@_ToeBase
        """
    ),
    "auto-rig pro": names(
        """
        hips root.x; spine spine_01.x; chest spine_02.x; neck neck.x; head head.x; eye
        c_eye.@; clavicle shoulder.@; upperarm arm_stretch.@; forearm
        forearm_stretch.@; hand hand.@; thumb1 thumb1.@; index1 index1.@; index2
        index2.@; middle1 middle1.@; thigh thigh_stretch.@; shin leg_stretch.@; foot
        foot.@; toe toes_01.@
        """,
        ("l", "r"),
    ),
    "daz genesis 9": names(
        """
        hips hip; spine spine1; chest spine4; neck neck1; head head; eye @_eye;
        clavicle @_shoulder; upperarm @_upperarm; forearm @_forearm; hand @_hand;
        thumb1 @_thumb1; index1 @_index1; index2 @_index2; middle1 @_mid1; thigh
        @_thigh; shin @_shin; foot @_foot; toe @_toes
        """,
        ("l", "r"),
    ),
    "daz genesis 8": names(
        """
        hips hip; spine abdomenLower; chest chestLower; neck neckLower; head head; eye
        @Eye; clavicle @Collar; upperarm @ShldrBend; forearm @ForearmBend; hand @Hand;
        thumb1 @Thumb1; index1 @Index1; index2 @Index2; middle1 @Mid1; thigh
        @ThighBend; shin @Shin; foot @Foot; toe @Toe
        """,
        ("l", "r"),
    ),
    "roblox": names(
        """
        hips LowerTorso; spine UpperTorso; chest chest; neck Neck; head Head; eye
        @Eye; clavicle @Collar; upperarm @UpperArm; forearm @LowerArm; hand @Hand;
        thumb1 @Thumb1; index1 @Index1; thigh @UpperLeg; shin @LowerLeg; foot @Foot;
        toe @Toe
        """,
        ("Left", "Right"),
    ),
    "optitrack": names(
        """
        hips Hip; spine Ab; chest Chest; neck Neck; head Head; eye @Eye; clavicle
        @Shoulder; upperarm @UArm; forearm @FArm; hand @Hand; thumb1 @Thumb1; index1
        @Index1; thigh @Thigh; shin @Shin; foot @Foot; toe @Toe
        """,
        ("L", "R"),
    ),
    "kinect": names(
        """
        hips HipCenter; spine Spine; chest ShoulderCenter; neck Neck; head Head; eye
        Eye@; clavicle Clavicle@; upperarm Shoulder@; forearm Elbow@; hand Wrist@;
        thumb1 Thumb@; index1 Index@; thigh Hip@; shin Knee@; foot Ankle@; toe Foot@
        """,
        ("Left", "Right"),
    ),
    "cmu": names(
        """
        hips root; spine lowerback; chest thorax; neck lowerneck; head head; eye @eye;
        clavicle @clavicle; upperarm @humerus; forearm @radius; hand @wrist; thumb1
        @thumb; index1 @fingers; thigh @femur; shin @tibia; foot @foot; toe @toes
        """,
        ("l", "r"),
    ),
    "synty": names(
        """
        hips Hips; spine Spine_01; chest Spine_03; neck Neck; head Head; eye Eye_@;
        clavicle Clavicle_@; upperarm Shoulder_@; forearm Elbow_@; hand Hand_@; thumb1
        Thumb_01_@; index1 IndexFinger_01_@; index2 IndexFinger_02_@; middle1
        Finger_01_@; thigh UpperLeg_@; shin LowerLeg_@; foot Ankle_@; toe Ball_@
        """
    ),
    "kaykit": names(
        """
        hips hips; spine spine; chest chest; neck neck; head head; eye eye.@; clavicle
        clavicle.@; upperarm upperarm.@; forearm lowerarm.@; hand wrist.@; thumb1
        hand.@; thigh upperleg.@; shin lowerleg.@; foot foot.@; toe toes.@
        """,
        ("l", "r"),
    ),
    "chinese": names(
        """
        hips 骨盆; spine 脊椎; chest 胸; neck 脖子; head 头; eye @眼; clavicle @锁骨;
        upperarm @上臂; forearm @前臂; hand @手; thumb1 @拇指1; index1 @食指1; thigh
        @大腿; shin @小腿; foot @脚; toe @脚趾
        """,
        ("左", "右"),
    ),
    "german": names(
        """
        hips Becken; spine Wirbelsäule; chest Brust; neck Hals; head Kopf; eye
        Auge.@; clavicle Schlüsselbein.@; upperarm Oberarm.@; forearm Unterarm.@;
        hand Hand.@; thumb1 Daumen1.@; index1 Finger1.@; index2 Finger2.@; middle1
        Finger3.@; thigh Oberschenkel.@; shin Unterschenkel.@; foot Fuß.@; toe
        Zehen.@
        """
    ),
    "spanish": names(
        """
        hips pelvis; spine columna; chest pecho; neck cuello; head cabeza; eye
        ojo_@; clavicle clavícula_@; upperarm brazo_@; forearm antebrazo_@; hand
        mano_@; thumb1 pulgar_@; index1 dedo1_@; index2 dedo2_@; middle1 dedo3_@;
        thigh muslo_@; shin pantorrilla_@; foot pie_@; toe dedo_del_pie_@
        """,
        ("izquierda", "derecha"),
    ),
    "japanese": names(
        """
        hips 下半身; spine 上半身; chest 上半身2; neck 首; head 頭; eye @目;
        clavicle @肩; upperarm @腕; forearm @ひじ; hand @手首; thumb1 @親指１;
        index1 @人指１; index2 @人指２; middle1 @中指１; thigh @足;
        shin @ひざ; foot @足首; toe @つま先
        """,
        ("左", "右"),
    ),
    "an unknown language, with sides": names(
        """
        hips vaagen; spine selg; chest rind; neck kael; head pea; eye silma.@;
        clavicle rangluu.@; upperarm olavars.@; forearm kyunar.@; hand kasi.@;
        thumb1 poial.@; index1 nimetis.@; index2 nimetis2.@; middle1 keskmine.@;
        thigh reis.@; shin saar.@; foot jalg.@; toe varvas.@
        """
    ),
    "numbers, with sides": with_sides(numbered()),
    "numbers": numbered(),
    "joint numbers": numbered("joint{}"),
}
