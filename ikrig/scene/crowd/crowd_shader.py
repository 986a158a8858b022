"""Shaders of crowds: skinning from a buffer texture, light, textures and fog.

GLSL 1.50. `INCLUDE` is what a vertex shader of a game needs to draw a crowd;
`skinned_by_palette` puts it into one that was written for Panda3D's hardware skinning.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

import panda3d.core as p3d

from ...errors import GraphicsError

INCLUDE = """
uniform samplerBuffer ikrig_palette;   // three texels a joint: the rows of its matrix
uniform samplerBuffer ikrig_members;   // two texels a member: colour; slot, its number
uniform int ikrig_joint_count;
uniform int ikrig_first;               // row of the first member that this call draws
in vec4 transform_weight;
in uvec4 transform_index;

int ikrig_row() { return ikrig_first + gl_InstanceID; }

// the matrix of a joint, from the vertices of the model to the crowd's parent
mat4 ikrig_joint(int joint) {
    int k = (ikrig_row() * ikrig_joint_count + joint) * 3;
    return transpose(mat4(texelFetch(ikrig_palette, k),
                          texelFetch(ikrig_palette, k + 1),
                          texelFetch(ikrig_palette, k + 2), vec4(0.0, 0.0, 0.0, 1.0)));
}

mat4 ikrig_joint(uint joint) { return ikrig_joint(int(joint)); }

// the matrix of this vertex
mat4 ikrig_skin() {
    return ikrig_joint(int(transform_index.x)) * transform_weight.x
         + ikrig_joint(int(transform_index.y)) * transform_weight.y
         + ikrig_joint(int(transform_index.z)) * transform_weight.z
         + ikrig_joint(int(transform_index.w)) * transform_weight.w;
}

// a normal by a matrix that may scale and mirror; it keeps its length
vec3 ikrig_normal(mat4 skin, vec3 normal) {
    mat3 m = mat3(skin);
    mat3 area = mat3(cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1]));
    vec3 turned = area * normal * sign(dot(m[0], area[0]));
    float size = length(turned);
    return size > 0.0 ? turned * (length(normal) / size) : normal;
}

// what a member's row says beside its pose
vec4 ikrig_color() { return texelFetch(ikrig_members, 2 * ikrig_row()); }
float ikrig_slot() { return texelFetch(ikrig_members, 2 * ikrig_row() + 1).x; }
int ikrig_member() { return int(texelFetch(ikrig_members, 2 * ikrig_row() + 1).y); }
"""
"""GLSL of a vertex shader that reads its joints from a crowd's palette."""

TABLE = re.compile(r"uniform\s+mat4\s+p3d_TransformTable\s*\[[^\]]*\]\s*;")
USE = re.compile(r"p3d_TransformTable\s*\[((?:[^\[\]]|\[[^\]]*\])*)\]")
COLOUR = re.compile(r"((?:attribute|in)\s+\w+\s+)?\bp3d_Color\b")
COLUMNS = re.compile(r"(attribute|in)\s+\w+\s+transform_(weight|index)\s*;")
FIRST_LINE = re.compile(r"#version\s+(\d+)[^\n]*\n")
EXTENSION = re.compile(r"^[ \t]*#extension[ \t]+(\w+).*$", re.MULTILINE)
OLD_WORDS = """
#define attribute in
#define varying {way}
#define texture2D texture
#define textureCube texture
#define texture2DLod textureLod
#define textureCubeLod textureLod
#define shadow2D(map, place) vec4(texture(map, place))
"""


def skinned_by_palette(shader: p3d.Shader) -> p3d.Shader:
    """Return a shader for crowds, made of one for Panda3D's hardware skinning.

    Of its vertex shader, the matrices ``p3d_TransformTable`` and the columns
    ``transform_weight`` and ``transform_index`` are those of a crowd then, and
    ``p3d_Color`` is multiplied by the member's colour. One that has
    no such table must have `INCLUDE` already.

    Args:
        shader: In GLSL; of panda3d-simplepbr, ``render.get_shader()``.
    """
    if shader.get_language() != p3d.Shader.SL_GLSL:
        raise GraphicsError("a crowd is drawn by shaders in GLSL only")
    vertex = shader.get_text(p3d.Shader.ST_vertex)
    fragment = shader.get_text(p3d.Shader.ST_fragment)
    if "ikrig_palette" in vertex:
        later = modern(fragment, "in")
        return p3d.Shader.make(p3d.Shader.SL_GLSL, vertex, later)
    text, found = TABLE.subn("@", COLUMNS.sub("", vertex), count=1)
    # panda3d-simplepbr skins on the graphics card only where this is set
    text = FIRST_LINE.sub(r"\g<0>#define ENABLE_SKINNING\n", text, count=1)
    if not found:
        raise GraphicsError(
            "the vertex shader has no p3d_TransformTable, so it can't draw a crowd: "
            "skin its vertices by ikrig_skin() of ikrig.scene.crowd.INCLUDE"
        )
    text = USE.sub(r"ikrig_joint(\1)", text).replace("@", INCLUDE)
    # where it is read, not where it is declared
    text = COLOUR.sub(
        lambda at: at[0] if at[1] else "(p3d_Color * ikrig_color())", text
    )
    return p3d.Shader.make(
        p3d.Shader.SL_GLSL, modern(text, "out"), modern(fragment, "in")
    )


def modern(text: str, way: str) -> str:
    """Return a vertex (``out``) or fragment shader (``in``) in GLSL 1.50 or later."""
    found = FIRST_LINE.search(text)
    if found is None or int(found[1]) >= 150:
        return text
    words = OLD_WORDS.format(way=way) if int(found[1]) < 130 else ""
    if way == "in" and "gl_FragColor" in text:
        words += "out vec4 ikrig_pixel;\n"
        text = text.replace("gl_FragColor", "ikrig_pixel")
    # these stand before all else
    wanted = dict.fromkeys(EXTENSION.findall(text))
    words = "".join(f"#extension {name} : enable\n" for name in wanted) + words
    text = EXTENSION.sub("", text)
    return text.replace(found[0], "#version 150\n" + words, 1)


class Light(NamedTuple):
    """A light as far as the shader's text depends on it."""

    shadow: bool


class Look(NamedTuple):
    """What the text of a mesh's shader depends on.

    Attributes:
        lights: Those that shine on it, without ambient ones; None: it is not lit.
        per_pixel: Light for each pixel, with shadows, as Panda3D's auto shader does;
            else for each vertex, as the fixed pipeline does.
        material: Whether there is a material; whether it has an ambient and a diffuse
            colour of its own, and whether the camera's place counts for highlights.
        stages: Of each texture: the function that mixes it in, or "" for none; whether
            it is an array.
        matrices: Whether texture coordinates are transformed.
        fog: "", "linear", "exp" or "exp2".
        least_alpha: Pixels with less are not drawn.
    """

    lights: tuple[Light, ...] | None
    per_pixel: bool
    material: tuple[bool, bool, bool, bool]
    stages: tuple[tuple[str, bool], ...]
    matrices: bool
    fog: str
    least_alpha: float


LIGHT = """
uniform struct {
    vec4 diffuse;
    vec4 specular;
    vec4 position;
    vec3 spotDirection;
    float spotCosCutoff;
    float spotExponent;
    vec3 attenuation;
    %(shadow)s
} p3d_LightSource[%(count)d];
uniform struct { vec4 ambient; } p3d_LightModel;
uniform struct {
    vec4 ambient; vec4 diffuse; vec4 emission; vec3 specular; float shininess;
} p3d_Material;

void ikrig_add(int i, float lit, vec3 eye, vec3 normal, inout vec3 diffuse,
               inout vec3 specular) {
    vec3 to = p3d_LightSource[i].position.xyz - eye * p3d_LightSource[i].position.w;
    float far = length(to);
    to /= far;
    float strength = lit;
    if (p3d_LightSource[i].position.w > 0.0) {
        vec3 a = p3d_LightSource[i].attenuation;
        strength /= a.x + far * (a.y + far * a.z);
        float along = dot(-to, normalize(p3d_LightSource[i].spotDirection));
        if (p3d_LightSource[i].spotCosCutoff > 0.0)
            strength *= along >= p3d_LightSource[i].spotCosCutoff
                      ? pow(max(along, 0.0), p3d_LightSource[i].spotExponent) : 0.0;
    }
    float front = dot(normal, to);
    if (front <= 0.0) return;
    diffuse += p3d_LightSource[i].diffuse.rgb * (strength * front);
    vec3 middle = normalize(to + %(viewer)s);
    float power = clamp(p3d_Material.shininess, 1e-4, 128.0);
    float shine = pow(max(dot(normal, middle), 0.0), power);
    specular += p3d_LightSource[i].specular.rgb * (strength * shine);
}

vec4 ikrig_light(vec3 eye, vec3 normal, vec4 colour, vec4 scale, out vec3 shine) {
    vec3 diffuse = vec3(0.0), specular = vec3(0.0);
    %(calls)s
    vec4 near = %(ambient)s, full = %(diffuse)s;
    vec3 sum = p3d_LightModel.ambient.rgb * near.rgb + diffuse * full.rgb;
    sum *= scale.rgb;
    %(material)s
    shine = clamp(%(shine)s, 0.0, 1.0);
    return clamp(vec4(sum, full.a * scale.a), 0.0, 1.0);
}
"""

VERTEX = """#version 150
%(include)s
uniform mat4 p3d_ModelViewMatrix;
uniform mat4 p3d_ProjectionMatrix;
uniform mat3 p3d_NormalMatrix;
uniform vec4 p3d_ColorScale;
in vec4 p3d_Vertex;
in vec3 p3d_Normal;
in vec4 p3d_Color;
%(inputs)s
out vec4 v_colour;
out vec4 v_scale;
out vec3 v_shine;
out vec3 v_eye;
out vec3 v_normal;
flat out float v_slot;
%(outputs)s
%(light)s
void main() {
    mat4 skin = ikrig_skin();
    vec4 eye = p3d_ModelViewMatrix * (skin * p3d_Vertex);
    gl_Position = p3d_ProjectionMatrix * eye;
    v_eye = eye.xyz;
    v_slot = ikrig_slot();
    vec3 normal = ikrig_normal(skin, p3d_Normal);
    vec3 turned = p3d_NormalMatrix * normal;
    v_normal = turned * (length(normal) / max(length(turned), 1e-12));
    v_scale = p3d_ColorScale * ikrig_color();
    v_shine = vec3(0.0);
    v_colour = %(colour)s;
    %(copies)s
}
"""

FRAGMENT = """#version 150
%(samplers)s
uniform struct { vec4 color; float density; float start; float end; } p3d_Fog;
in vec4 v_colour;
in vec4 v_scale;
in vec3 v_shine;
in vec3 v_eye;
in vec3 v_normal;
flat in float v_slot;
%(inputs)s
out vec4 pixel;
%(light)s
void main() {
    vec3 shine = v_shine;
    vec4 c = %(colour)s;
    %(stages)s

    if (c.a < %(least)s) discard;
    c.rgb += shine;
    %(fog)s
    pixel = c;
}
"""

MIXES = {
    "modulate": "c *= t;",
    "add": "c = vec4(c.rgb + t.rgb, c.a * t.a);",
    "replace": "c = t;",
    "decal": "c.rgb = mix(c.rgb, t.rgb, t.a);",
}
"""How a texture is mixed in, by the name of its stage's mode."""
FOGS = {
    "linear": "(p3d_Fog.end - far) / (p3d_Fog.end - p3d_Fog.start)",
    "exp": "exp(-p3d_Fog.density * far)",
    "exp2": "exp(-p3d_Fog.density * p3d_Fog.density * far * far)",
}


@cache
def shader_for(look: Look) -> p3d.Shader:
    used = [k for k, (mix, _) in enumerate(look.stages) if mix]
    light = "" if look.lights is None else _light(look)
    early, late = light and not look.per_pixel, light and look.per_pixel
    colour = "p3d_Color" if light else "p3d_Color * v_scale"
    if early:
        colour = "ikrig_light(v_eye, v_normal, p3d_Color, v_scale, v_shine)"
    inputs = [f"in vec4 p3d_MultiTexCoord{k};" for k in used]
    if used and look.matrices:
        inputs.append(f"uniform mat4 p3d_TextureMatrix[{used[-1] + 1}];")
    place = "p3d_TextureMatrix[{0}] * p3d_MultiTexCoord{0}"
    place = place if look.matrices else "p3d_MultiTexCoord{0}"
    vertex = VERTEX % {
        "include": INCLUDE,
        "inputs": "\n".join(inputs),
        "outputs": "\n".join(f"out vec2 v_uv{k};" for k in used),
        "light": light if early else "",
        "colour": colour,
        "copies": "\n".join(f"v_uv{k} = ({place.format(k)}).xy;" for k in used),
    }
    samplers, stages = [], []
    for k in used:
        mix, many = look.stages[k]
        kind, at = (
            ("sampler2DArray", "vec3(v_uv{0}, v_slot)")
            if many
            else (
                "sampler2D",
                "v_uv{0}",
            )
        )
        samplers.append(f"uniform {kind} p3d_Texture{k};")
        read = f"vec4 t = texture(p3d_Texture{k}, {at.format(k)});"
        stages.append(f"{{ {read} {MIXES[mix]} }}")
    fog = look.fog and (
        f"float far = abs(v_eye.z); c.rgb = mix(p3d_Fog.color.rgb, c.rgb, "
        f"clamp({FOGS[look.fog]}, 0.0, 1.0));"
    )
    colour = "v_colour"
    if late:
        colour = "ikrig_light(v_eye, normalize(v_normal), v_colour, v_scale, shine)"
    fragment = FRAGMENT % {
        "samplers": "\n".join(samplers),
        "inputs": "\n".join(f"in vec2 v_uv{k};" for k in used),
        "light": light if late else "",
        "colour": colour,
        "stages": "\n    ".join(stages),
        "least": f"{look.least_alpha:.6f}",
        "fog": fog,
    }
    return p3d.Shader.make(p3d.Shader.SL_GLSL, vertex, fragment)


def _light(look: Look) -> str:
    lights = look.lights or ()
    there, ambient, diffuse, local = look.material
    shaded = look.per_pixel and any(light.shadow for light in lights)
    calls = []
    for k, light in enumerate(lights):
        seen = "1.0"
        if shaded and light.shadow:
            seen = f"seen{k}"
            calls.append(
                f"vec4 at{k} = p3d_LightSource[{k}].shadowViewMatrix * vec4(eye, 1.0);"
                f"float {seen} = textureProj(p3d_LightSource[{k}].shadowMap, at{k});"
            )
        calls.append(f"ikrig_add({k}, {seen}, eye, normal, diffuse, specular);")
    shadow = "sampler2DShadow shadowMap; mat4 shadowViewMatrix;" if shaded else ""
    return LIGHT % {
        "shadow": shadow,
        "count": max(1, len(lights)),
        "viewer": "normalize(-eye)" if local else "vec3(0.0, 0.0, 1.0)",
        "calls": "\n    ".join(calls),
        "ambient": "p3d_Material.ambient" if ambient else "colour",
        "diffuse": "p3d_Material.diffuse" if diffuse else "colour",
        "material": "sum += p3d_Material.emission.rgb;" if there else "",
        # added after the textures
        "shine": "specular * p3d_Material.specular" if there else "vec3(0.0)",
    }
