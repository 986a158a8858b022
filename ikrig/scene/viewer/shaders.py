"""Shaders in GLSL 1.20, which old drivers and Macs accept.

One light model for all: a warm key light with a soft shadow, a cool sky, a rim light,
and a studio of two soft boxes that only reflections show; or the open sky over paving.
Colours are converted to linear light for shading and tone mapped afterwards.
"""

from __future__ import annotations

import panda3d.core as p3d

from ..crowd.crowd_shader import INCLUDE

_COMMON = """
#version 120
uniform vec3 u_key_dir;      // towards the light
uniform vec3 u_key_colour;
uniform vec3 u_rim_dir;
uniform vec3 u_rim_colour;
uniform vec3 u_glow_dir;     // horizontal, where the backdrop is brightest
uniform float u_day;         // 1 under the open sky, 0 in the studio

float noise(vec2 p) {
    return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715))));
}

vec3 to_linear(vec3 c) { return pow(max(c, vec3(0.0)), vec3(2.2)); }

vec3 tone(vec3 x) {
    x = (x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14);
    return pow(clamp(x, 0.0, 1.0), vec3(1.0 / 2.2));
}

vec3 backdrop(vec3 dir) {
    float up = dir.z;
    vec3 horizon = vec3(0.030, 0.039, 0.052);
    vec3 zenith = vec3(0.007, 0.010, 0.016);
    vec3 c = mix(horizon, zenith, smoothstep(0.0, 0.62, up));
    c = mix(c, horizon * 0.92, smoothstep(0.0, -0.3, up));
    float glow = max(0.0, dot(normalize(vec3(dir.xy, up * 1.5)), u_glow_dir));
    c += vec3(0.085, 0.092, 0.104) * pow(glow, 14.0);
    vec3 sky = mix(vec3(0.25, 0.37, 0.50), vec3(0.055, 0.15, 0.36),
                   pow(clamp(up, 0.0, 1.0), 0.55));
    sky = mix(sky, vec3(0.24, 0.29, 0.33), smoothstep(0.0, -0.25, up));
    sky += vec3(0.10, 0.085, 0.06) * pow(glow, 8.0);
    return mix(c, sky, u_day);
}
"""

_SHADOW = """
uniform sampler2DShadow u_shadow_map;
uniform mat4 u_shadow_matrix;
uniform float u_shadow_blur;

float shadow(vec3 world, vec3 normal) {
    vec4 p = u_shadow_matrix * vec4(world + normal * 0.02, 1.0);
    if (p.x < 0.0 || p.x > 1.0 || p.y < 0.0 || p.y > 1.0 || p.z > 1.0) return 1.0;
    float turn = noise(gl_FragCoord.xy) * 6.2832;
    float lit = 0.0;
    for (int i = 0; i < 12; ++i) {
        float r = sqrt((float(i) + 0.5) / 12.0) * u_shadow_blur;
        float a = float(i) * 2.399963 + turn;
        vec2 q = p.xy + r * vec2(cos(a), sin(a));
        lit += shadow2D(u_shadow_map, vec3(q, p.z - 0.0006)).r;
    }
    return lit / 12.0;
}
"""

_CONTACT = """
uniform sampler2D u_height_map;   // what stands on the ground, seen from below
uniform mat4 u_height_matrix;
uniform vec3 u_height;            // x: a metre in the map, y: depth range, z: at 0

float covered(vec3 world, float metres, float fall) {
    vec3 p = (u_height_matrix * vec4(world, 1.0)).xyz;
    if (p.x < 0.02 || p.x > 0.98 || p.y < 0.02 || p.y > 0.98) return 0.0;
    float turn = noise(gl_FragCoord.xy + 17.0) * 6.2832;
    float hidden = 0.0;
    for (int i = 0; i < 14; ++i) {
        float r = (float(i) + 0.5) / 14.0 * metres * u_height.x;
        float a = float(i) * 2.399963 + turn;
        float z = texture2D(u_height_map, p.xy + r * vec2(cos(a), sin(a))).r;
        float above = u_height.z + z * u_height.y - world.z;
        // what is far below the ground is no shadow on it
        hidden += z < 1.0 && above > -0.06 ? 1.0 / (1.0 + fall * max(above, 0.0)) : 0.0;
    }
    return hidden / 14.0;
}

float contact(vec3 world) {
    float wide = 1.0 - 0.85 * min(1.0, 1.7 * covered(world, 0.55, 3.5));
    return wide * (1.0 - 0.8 * min(1.0, 1.8 * covered(world, 0.07, 50.0)));
}
"""

_PLAIN = """
#version 120
#define ikrig_skin() mat4(1.0)
#define ikrig_normal(skin, normal) normal
#define ikrig_color() vec4(1.0)
"""
_CROWD = f"""
#version 150
#define attribute in
#define varying out
{INCLUDE}
"""
"""How vertices are placed: by the node alone, or by the member of a crowd."""

_SURFACE = """
uniform mat4 p3d_ModelViewProjectionMatrix;
uniform mat4 p3d_ModelMatrix;
uniform mat4 p3d_ViewMatrixInverse;
uniform mat3 p3d_NormalMatrix;
attribute vec4 p3d_Vertex;
attribute vec3 p3d_Normal;
attribute vec4 p3d_Color;
attribute vec3 p3d_MultiTexCoord0;
varying vec3 v_world;
varying vec3 v_normal;
varying vec4 v_colour;
varying vec3 v_extra;

void main() {
    mat4 skin = ikrig_skin();
    vec4 place = skin * p3d_Vertex;
    gl_Position = p3d_ModelViewProjectionMatrix * place;
    v_world = (p3d_ModelMatrix * place).xyz;
    vec3 normal = ikrig_normal(skin, p3d_Normal);
    v_normal = mat3(p3d_ViewMatrixInverse) * (p3d_NormalMatrix * normal);
    v_colour = p3d_Color * ikrig_color();
    v_extra = p3d_MultiTexCoord0;
}
"""
SURFACE_VERTEX, CROWD_VERTEX = _PLAIN + _SURFACE, _CROWD + _SURFACE

SURFACE_FRAGMENT = (
    _COMMON
    + _SHADOW
    + _CONTACT
    + """
uniform mat4 p3d_ViewMatrixInverse;
uniform vec4 p3d_ColorScale;
uniform float u_ground;      // 1 where feet stand on it
uniform sampler2D p3d_Texture0;
uniform vec4 u_look;         // x: 0 takes all from the vertices, 1 the picture,
                             // 2 the node's colour; y, z, w: rough, metal, glow
varying vec3 v_world;
varying vec3 v_normal;
varying vec4 v_colour;
varying vec3 v_extra;

float softbox(vec3 d, vec3 axis, vec3 right, vec2 size, float blur) {
    float front = dot(d, axis);
    vec3 up = cross(axis, right);
    vec2 q = abs(vec2(dot(d, right), dot(d, up)) / max(front, 0.05));
    vec2 edge = smoothstep(size + blur, size - blur, q);
    return step(0.05, front) * edge.x * edge.y;
}

vec3 studio(vec3 d, float rough) {
    vec3 c = mix(vec3(0.055, 0.06, 0.07), vec3(0.16, 0.18, 0.21),
                 smoothstep(-0.5 - rough, 0.9 + rough, d.z));
    float blur = 0.04 + rough * 0.9;
    float loss = 1.0 / (1.0 + rough * rough * 5.0);
    vec3 right = normalize(cross(vec3(0.0, 0.0, 1.0), u_key_dir));
    float box = softbox(d, u_key_dir, right, vec2(0.35, 0.6), blur);
    c += u_key_colour * 0.75 * loss * box;
    right = normalize(cross(vec3(0.0, 0.0, 1.0), u_rim_dir));
    box = softbox(d, u_rim_dir, right, vec2(0.14, 1.1), blur);
    c += u_rim_colour * 0.9 * loss * box;
    return c;
}

void main() {
    vec3 base;
    float rough; float metal; float glow;
    if (u_look.x > 0.5) {
        base = u_look.x > 1.5 ? v_colour.rgb : texture2D(p3d_Texture0, v_extra.xy).rgb;
        rough = u_look.y; metal = u_look.z; glow = u_look.w;
    } else {
        base = v_colour.rgb;
        rough = v_extra.x; metal = v_extra.y; glow = v_extra.z;
    }
    base = to_linear(base * p3d_ColorScale.rgb);
    vec3 eye = p3d_ViewMatrixInverse[3].xyz;
    vec3 n = normalize(v_normal);
    vec3 v = normalize(eye - v_world);
    float nv = max(dot(n, v), 0.001);
    vec3 f0 = mix(vec3(0.04), base, metal);
    vec3 diffuse = base * (1.0 - metal);

    // what the sky and the floor give from everywhere
    vec3 sky = mix(vec3(0.30, 0.36, 0.45), vec3(0.42, 0.54, 0.72), u_day);
    vec3 floor_light = mix(vec3(0.115, 0.11, 0.11), vec3(0.26, 0.25, 0.21), u_day);
    float near_floor = 0.55 + 0.45 * smoothstep(0.0, 0.5, v_world.z);
    vec3 ambient = mix(floor_light * near_floor, sky, 0.5 + 0.5 * n.z);
    vec3 light = diffuse * ambient;

    // the key light
    vec3 h = normalize(v + u_key_dir);
    float nl = max(dot(n, u_key_dir), 0.0);
    float nh = max(dot(n, h), 0.0);
    float a2 = pow(max(rough, 0.08), 4.0);
    float d = nh * nh * (a2 - 1.0) + 1.0;
    float k = (rough + 1.0) * (rough + 1.0) / 8.0;
    float hidden = 4.0 * (nv * (1.0 - k) + k) * (nl * (1.0 - k) + k);
    float spread = a2 / (d * d * hidden + 1e-4);
    vec3 fresnel = f0 + (1.0 - f0) * pow(1.0 - max(dot(v, h), 0.0), 5.0);
    float lit = nl > 0.0 ? shadow(v_world, n) : 0.0;
    light += u_key_colour * nl * lit * (diffuse + fresnel * min(spread, 12.0) * 0.32);

    // the rim light, no shadow
    float back = max(dot(n, u_rim_dir), 0.0);
    light += u_rim_colour * back * diffuse * 0.5;
    float edge = pow(1.0 - nv, 3.0);
    light += u_rim_colour * edge * 0.12 * smoothstep(-0.3, 0.7, dot(n, u_rim_dir));

    // reflections of the studio
    vec3 r = reflect(-v, n);
    vec4 c0 = vec4(-1.0, -0.0275, -0.572, 0.022);
    vec4 c1 = vec4(1.0, 0.0425, 1.04, -0.04);
    vec4 t = rough * c0 + c1;
    float a004 = min(t.x * t.x, exp2(-9.28 * nv)) * t.x + t.y;
    vec2 ab = vec2(-1.04, 1.04) * a004 + t.zw;
    light += studio(r, rough) * (f0 * ab.x + ab.y) * mix(0.55, 1.0, lit);

    if (u_ground > 0.5 && n.z > 0.5) light *= contact(v_world);

    light += base * glow;
    gl_FragColor = vec4(tone(light), v_colour.a * p3d_ColorScale.a);
}
"""
)

GHOST_FRAGMENT = """
#version 120
uniform mat4 p3d_ViewMatrixInverse;
varying vec3 v_world;
varying vec3 v_normal;
varying vec4 v_colour;

void main() {
    vec3 n = normalize(v_normal);
    vec3 v = normalize(p3d_ViewMatrixInverse[3].xyz - v_world);
    // glass: clear where one looks straight through, bright along its edges
    float rim = pow(1.0 - abs(dot(n, v)), 1.6);
    float light = 0.75 + 0.25 * n.z;
    gl_FragColor = vec4(v_colour.rgb * light + 0.25 * rim,
                        v_colour.a * (0.24 + 0.76 * rim));
}
"""

FLOOR_FRAGMENT = (
    _COMMON
    + _SHADOW
    + _CONTACT
    + """
uniform mat4 p3d_ViewMatrixInverse;
uniform vec3 u_centre;
varying vec3 v_world;

float line(vec2 p, float width) {
    vec2 w = fwidth(p);
    vec2 d = abs(fract(p - 0.5) - 0.5);
    vec2 g = 1.0 - smoothstep(vec2(width) * 0.5, vec2(width) * 0.5 + w * 1.5, d);
    g *= clamp(0.35 / max(w, vec2(1e-4)), 0.0, 1.0);
    return max(g.x, g.y);
}

void main() {
    vec3 eye = p3d_ViewMatrixInverse[3].xyz;
    vec3 v = normalize(eye - v_world);
    float away = length(v_world.xy - u_centre.xy);
    vec3 base = mix(vec3(0.036, 0.042, 0.051), vec3(0.205, 0.19, 0.155), u_day);
    float fine = line(v_world.xy * 2.0, 0.006) * 0.16;
    float wide = line(v_world.xy * 0.5, 0.0035) * 0.5;
    fine *= 1.0 - smoothstep(3.0, 9.0, away);
    wide *= 1.0 - smoothstep(7.0, 20.0, away);
    // paving: slabs that differ a little, with dark joints
    float slab = noise(floor(v_world.xy * 2.0) * 37.0) - 0.5;
    base *= 1.0 + u_day * 0.10 * slab * (1.0 - smoothstep(4.0, 14.0, away));
    vec3 joint = mix(vec3(0.20, 0.225, 0.26), base * 0.45, u_day);
    vec3 paint = mix(base, joint, max(fine * (1.0 + u_day), wide));

    float lit = shadow(v_world, vec3(0.0, 0.0, 1.0));
    float open = contact(v_world);
    vec3 key = u_key_colour * u_key_dir.z * lit * (0.36 + 0.44 * open);
    vec3 sky = mix(vec3(0.30, 0.35, 0.43), vec3(0.40, 0.50, 0.64), u_day);
    vec3 light = paint * (sky * open + key);

    // a polished floor: the backdrop shows in it at flat angles
    vec3 r = reflect(-v, vec3(0.0, 0.0, 1.0));
    float f = 0.03 + 0.6 * pow(1.0 - max(v.z, 0.0), 5.0);
    light += backdrop(r) * f * open * (1.0 - 0.8 * u_day);

    // a pool of light that fades into the backdrop: no edge, no horizon
    float pool = smoothstep(2.5, mix(19.0, 45.0, u_day), away);
    light = mix(light, backdrop(-v), pool);
    gl_FragColor = vec4(tone(light), 1.0);
}
"""
)

BACKDROP_FRAGMENT = (
    _COMMON
    + """
uniform mat4 p3d_ViewMatrixInverse;
varying vec3 v_world;

void main() {
    vec3 c = tone(backdrop(normalize(v_world - p3d_ViewMatrixInverse[3].xyz)));
    gl_FragColor = vec4(c + (noise(gl_FragCoord.xy) - 0.5) / 255.0, 1.0);
}
"""
)

_DEPTH = """
uniform mat4 p3d_ModelViewProjectionMatrix;
attribute vec4 p3d_Vertex;
void main() {
    gl_Position = p3d_ModelViewProjectionMatrix * (ikrig_skin() * p3d_Vertex);
}
"""
DEPTH_VERTEX, CROWD_DEPTH_VERTEX = _PLAIN + _DEPTH, _CROWD + _DEPTH

DEPTH_FRAGMENT = """
#version 120
void main() { gl_FragColor = vec4(1.0); }
"""


def make_shader(vertex: str, fragment: str) -> p3d.Shader:
    return p3d.Shader.make(p3d.Shader.SL_GLSL, vertex.strip(), fragment.strip())
