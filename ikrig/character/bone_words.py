"""The words in joint names and their meanings: the only table of names.

To teach ikrig another word or language, add it here.
"""

from __future__ import annotations

import unicodedata
from typing import Literal

Meaning = Literal[
    "hand", "foot", "head", "tail", "eye",  # where limbs end
    "arm", "leg", "neck",  # the parts of limbs
    "shoulder", "collar", "hip", "trunk",  # the joints that carry limbs
    "finger", "palm", "toe", "heel",  # the parts of their ends
    "twist", "piece", "control", "accessory", "end", "lid", "face",
    "front", "rear",
]  # fmt: skip

_MEANINGS: dict[Meaning, str] = {
    # English and Latin; then German, French, Spanish, Italian, Portuguese, Dutch;
    # Polish, Russian; Japanese and Chinese
    "hand": """
        hand hands wrist fist hnd mitten
        handgelenk main poignet mano muneca polso mao pulso pols
        dlon nadgarstek kist ruki кисть запястье 手首 手 手腕 手掌
    """,
    "foot": """
        foot feet ankle paw hoof fetlock tarsus
        fuss fuß knochel pfote huf pied cheville patte sabot pie tobillo pata
        piede caviglia zampa pe tornozelo voet enkel poot
        stopa kostka stupnya стопа ступня лодыжка 足首 くるぶし 脚踝 脚掌
    """,
    "head": """
        head skull cranium
        kopf schadel tete crane cabeza craneo testa cranio cabeca hoofd
        glowa golova голова 頭 头 あたま
    """,
    "tail": "tail tails schwanz queue cola coda cauda rabo staart ogon хвост 尻尾 尾巴 しっぽ",
    "eye": """
        eye eyes eyeball pupil iris
        auge augen oeil yeux ojo ojos occhio olho oog
        oko glaz глаз 目 眼 眼球
    """,
    "arm": """
        arm upperarm uparm armup forearm lowerarm lowarm armlow elbow humerus radius ulna bicep
        oberarm unterarm ellbogen bras avantbras coude brazo antebrazo codo
        braccio avambraccio gomito braco antebraco cotovelo bovenarm onderarm elleboog
        ramie przedramie lokiec ruka plecho рука плечо предплечье локоть
        腕 ひじ 肘 上腕 前腕 上臂 前臂 大臂 小臂 手臂 胳膊
    """,
    "leg": """
        leg legs upperleg upleg legup lowerleg lowleg leglow thigh calf shin knee femur tibia fibula
        crus hock stifle foreleg hindleg
        bein oberschenkel unterschenkel schenkel knie jambe cuisse mollet genou
        pierna muslo pantorrilla rodilla gamba coscia polpaccio ginocchio
        perna coxa panturrilha joelho dij bovenbeen onderbeen been
        noga udo lydka kolano bedro golen koleno нога бедро голень колено
        足 ひざ 膝 脚 腿 大腿 小腿 もも
    """,
    "neck": "neck neckbase cervical hals nacken cou cuello collo pescoco nek szyja sheya шея 首 脖子 颈",
    "shoulder": """
        shoulder shldr schulter epaule hombro spalla ombro schouder bark 肩
    """,
    "collar": """
        clavicle collar collarbone scapula shoulderblade clav
        schlusselbein clavicule omoplate clavicula escapula clavicola
        sleutelbeen obojczyk klyuchitsa ключица 肩膀 锁骨 鎖骨
    """,
    "hip": "hip pelvis hufte hanche cadera anca quadril heup biodro taz 腰 骨盆 胯",
    "trunk": """
        hips spine chest torso body root stomach abdomen belly waist groin ribcage thorax back
        ribs pelvic cog wirbelsaule becken bauch brust rumpf rucken bassin colonne poitrine
        ventre columna pecho vientre bacino colonna petto coluna peito barriga wervel
        kregoslup miednica pozvonochnik таз позвоночник грудь
        上半身 下半身 センター グルーブ 脊椎 脊柱 胸 腹
    """,
    "finger": """
        finger fingers thumb index middle middlefinger ring pinky pinkie little
        metacarpal carpal knuckle
        daumen doigt pouce dedo pulgar dito pollice polegar vinger duim
        palec palets палец 親指 人指 中指 薬指 小指 指 手指 拇指
    """,
    "palm": "palm handflache paume palma",
    "toe": """
        toe toes toebase ball metatarsal instep
        zeh zehe zehen orteil dedodelpie teen tenen
        つま先 爪先 脚趾
    """,
    "heel": "heel ferse talon talone calcanhar かかと",
    "twist": "twist 捩 捩り",
    "piece": "bend roll share helper corrective",  # of a bone, as "lShldrBend"
    "control": """
        ik fk ctrl control controls controller mch org vis pole target tweak locator
        master handle aim goal effector marker widget wgt driver gizmo camera ＩＫ 親
    """,
    "accessory": """
        jaw ear hair prop item weapon attach slot socket mount holder sword shield gun
        breast boob bust skirt cape cloak cloth coat scarf hat cap helmet glasses beard
        braid ponytail belt bag backpack tongue teeth tooth cheek lip nose mouth snout
        muzzle horn antler wing feather fin mane fringe bang ribbon sleeve robe dress
        penis genital sec physics dyn dynamic jiggle spring muscle handslot
        kiefer ohr haar oreille cheveux oreja pelo orecchio capelli orelha cabelo oor
        ucho wlosy volosy волосы ухо 髪 耳 スカート 胸親 乳 裙 头发
    """,
    "end": "end nub tip top site null dummytip ende leaf 先",
    "lid": "lid lids eyelid eyelids brow eyebrow lash eyelash points point look corner bag blink まぶた 眉",
    "face": "face facial forehead temple stirn",
    "front": "front fore forward lf rf fl fr vorder vorne avant delantero anteriore dianteiro 前",
    "rear": "rear hind back bl br hl hr lr rr lh rh hinter hinten arriere trasero posteriore traseiro 後 后",
}  # fmt: skip

_LEFT = """
    left l lf lr lh fl bl hl lft links linke linker gauche izquierda izquierdo izq sinistra
    sinistro sx esquerda esquerdo esq linkse lewa lewy lewe levaya levyy levyi лев левая
    левый левое л 左
"""
_RIGHT = """
    right r rf rr rh fr br hr rgt rt rechts rechte rechter droite droit derecha derecho dcha
    destra destro dx direita direito dir rechtse prawa prawy prawe pravaya pravyy pravyi
    прав правая правый правое п 右
"""


def plain(text: str) -> str:
    """Return a text in lower case, without accents and in narrow letters."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def _table() -> dict[str, frozenset[Meaning]]:
    found: dict[str, set[Meaning]] = {}
    for meaning, words in _MEANINGS.items():
        for word in words.split():
            found.setdefault(plain(word), set()).add(meaning)
    return {word: frozenset(meanings) for word, meanings in found.items()}


MEANINGS = _table()
"""The meanings of each word; a few have several."""
SIDES: dict[str, Literal["left", "right"]] = {
    **{plain(word): "left" for word in _LEFT.split()},
    **{plain(word): "right" for word in _RIGHT.split()},
}
"""The side that each word means."""
COMPOUNDS = {
    ("upper", "arm"), ("lower", "arm"), ("fore", "arm"), ("upper", "leg"),
    ("lower", "leg"), ("up", "leg"), ("low", "leg"), ("fore", "leg"), ("hind", "leg"),
    ("up", "arm"), ("low", "arm"), ("avant", "bras"), ("toe", "base"), ("eye", "lid"),
    ("eye", "brow"), ("eye", "lash"), ("eye", "ball"), ("collar", "bone"),
    ("shoulder", "blade"), ("middle", "finger"), ("fore", "head"), ("hand", "slot"), ("pony", "tail"),
}  # fmt: skip
"""Pairs of words that form one, so that the first is not read alone."""
_FINGERS = {
    "thumb": "thumb daumen pouce pulgar pollice polegar duim 親指 拇指",
    "index": "index indexfinger fore pointer zeige zeigefinger indice 人指 人差指 食指",
    "middle": "middle mid middlefinger mittel mittelfinger majeur medio 中指",
    "ring": "ring ringfinger annulaire anular anulare 薬指 无名指",
    "pinky": "pinky pinkie little littlefinger kleiner auriculaire menique mignolo 小指",
}
FINGERS: dict[str, frozenset[str]] = {
    name: frozenset(map(plain, words.split())) for name, words in _FINGERS.items()
}
"""The words that tell one finger from another, by its name in ikrig."""
