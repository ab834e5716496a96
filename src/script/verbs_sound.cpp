// Sound: the key `sound` of bodies, and the listener.

#include <cmath>

#include "pliant/meshing/structured.hpp"
#include "pliant/script/verbs.hpp"

namespace pliant::script {

namespace {

const Schema& sound_schema() {
    static const Schema schema{
        "sound",
        "The voice of a body; sound = true takes all defaults. Modes are computed when the scene is loaded by "
        "`pliant sound` and kept for the next time.",
        {{.name = "modes",
          .unit = "1",
          .fallback = 60,
          .min = 1,
          .max = 5000,
          .integer = true,
          .doc = "How many modes, from the lowest. Few: plain and dull; many: time for modes that are hardly heard. "
                 "Those above 20 kHz are left out."},
         {.name = "quadratic",
          .holds = Holds::boolean,
          .fallback = true,
          .doc = "Ten-node tets. false: linear ones, quicker, but coarse meshes and thin walls sound too high."},
         {.name = "damping",
          .holds = Holds::table,
          .doc = "{ mass = 10, stiffness = 1e-6 }: Rayleigh damping of the sound; the material's when left out. Too "
                 "much is a thud, none rings for ever."},
         {.name = "contact_time",
          .unit = "s",
          .fallback = 0,
          .min = 0,
          .max = 0.1,
          .doc = "How long a blow lasts; 0: after Hertz, from mass, size, stiffness and speed. 0.0001 is steel on "
                 "steel, 0.002 a felt hammer."},
         {.name = "roughness",
          .unit = "1",
          .fallback = 0,
          .min = 0,
          .max = 10,
          .doc = "Noise of a sliding contact, over its force. 0: none; 1: scraping."},
         {.name = "grain",
          .unit = "m",
          .fallback = 1e-3,
          .min = 0,
          .open_min = true,
          .doc = "Length of the surface's grain. Fine: hissing; coarse: rumbling."},
         {.name = "gain", .unit = "1", .fallback = 1, .min = 0, .doc = "Loudness in the mix."}}};
    return schema;
}

const Schema& sound_damping_schema() {
    static const Schema schema{"sound damping",
                               "Rayleigh damping of a sound: a mode of f Hz decays at (mass + stiffness·(2πf)²)/2.",
                               {{.name = "mass", .unit = "1/s", .min = 0, .doc = "Of all modes alike."},
                                {.name = "stiffness", .unit = "s", .min = 0, .doc = "Of high modes most."}}};
    return schema;
}

Value make_structured(Loader&, const Params& params) {
    VolumeDesc volume;
    volume.kind = VolumeDesc::Kind::tets;
    volume.structured = params.text("shape");
    volume.where = params.where();
    try {
        volume.mesh = std::make_shared<const TetMesh>(structured_mesh(structured_shape(volume.structured)));
    } catch (const UserError& error) {
        throw UserError(error.message(), params.where("shape"), error.remedy());
    }
    return Value(Handle{"volume", volume}, volume.where);
}

Value make_listener(Loader& loader, const Params& params) {
    if (loader.desc.listener) throw UserError("listener is given twice", params.where(), "Leave one out");
    ListenerDesc listener;
    listener.at = params.vec3("at");
    listener.right = params.vec3("right");
    if (!(listener.right.norm() > 0))
        throw UserError("listener: right has no length", params.where("right"), "Write right = {1, 0, 0}");
    listener.right.normalize();
    listener.ears = params.number("ears");
    listener.reference = params.number("reference");
    listener.delay = params.flag("delay");
    listener.where = params.where();
    loader.desc.listener = listener;
    return {};
}

Value make_expect_sound(Loader& loader, const Params& params) {
    SoundExpectDesc expect;
    expect.metric = params.text("metric");
    expect.where = params.where();
    if (params.has("at_least")) expect.at_least = params.number("at_least");
    if (params.has("at_most")) expect.at_most = params.number("at_most");
    if (params.has("near") != params.has("within"))
        throw UserError("expect_sound: near and within belong together", params.where(), "Give both or neither");
    if (params.has("near")) {
        expect.at_least = params.number("near") - params.number("within");
        expect.at_most = params.number("near") + params.number("within");
    }
    loader.desc.sound_expects.push_back(std::move(expect));
    return {};
}

}  // namespace

Key sound_key() {
    return {.name = "sound",
            .holds = Holds::boolean | Holds::table,
            .doc = "true, or a table (see sound): it rings when struck, in `pliant sound`."};
}

std::optional<SoundDesc> sound_of(const Params& params) {
    if (!params.has("sound")) return {};
    const Value& value = params.at("sound");
    if (value.kind() == Value::Kind::boolean && !value.boolean()) return {};
    SoundDesc sound;
    sound.where = params.where("sound");
    if (value.kind() == Value::Kind::boolean) return sound;
    const Params given = sound_schema().check(value);
    sound.modes = given.integer("modes");
    sound.quadratic = given.flag("quadratic");
    if (given.has("damping")) {
        const Params damping = sound_damping_schema().check(given.at("damping"));
        sound.mass_damping = optional_number(damping, "mass");
        sound.stiffness_damping = optional_number(damping, "stiffness");
    }
    sound.contact_time = given.number("contact_time");
    sound.roughness = given.number("roughness");
    sound.grain = given.number("grain");
    sound.gain = given.number("gain");
    return sound;
}

const std::vector<const Schema*>& sound_tables() {
    static const std::vector<const Schema*> tables{&sound_schema(), &sound_damping_schema()};
    return tables;
}

const std::vector<Verb>& sound_verbs() {
    static const std::vector<Verb> verbs{
        {{"structured",
          "Tets in rows and columns for bars, plates, tubes, bowls and hollow crates, whose modes are exact from few "
          "elements. "
          "Tubes lie along z, bowls open towards z. Leave `surface` out: the boundary of the tets is the surface.",
          {{.name = "shape",
            .holds = Holds::text,
            .required = true,
            .doc = "Such as \"tube:length=0.5,radius=0.0125,wall=0.001\"; bar:, plate:, bowl:, crate: and wedge: (a "
                   "stone of an arch) likewise, lengths in metres, angles in degrees. `pliant modes --help` lists the "
                   "words."}}},
         "structured \"tube:length=0.505,radius=0.0125,wall=0.001\"",
         make_structured,
         {"shape"}},
        {{"listener",
          "Ears in the world: sound falls off with distance and comes late. Without one all bodies are heard alike.",
          {{.name = "at", .holds = Holds::vec3, .unit = "m", .required = true, .doc = "Where."},
           {.name = "ears",
            .unit = "m",
            .fallback = 0,
            .min = 0,
            .max = 10,
            .doc = "Distance between two ears: 0.18 makes stereo by delay and distance; 0 is one ear, one channel."},
           {.name = "right", .holds = Holds::vec3, .fallback = Value(Vec3(1, 0, 0)), .doc = "Towards the right ear."},
           {.name = "reference",
            .unit = "m",
            .fallback = 1,
            .min = 0,
            .open_min = true,
            .doc = "Distance up to which nothing is lost; beyond it loudness falls with 1/distance."},
           {.name = "delay",
            .holds = Holds::boolean,
            .fallback = true,
            .doc = "false: sounds come at once, whatever the distance."}}},
         "listener { at = {0, 1.7, 3}, ears = 0.18 }",
         make_listener},
        {{"expect_sound",
          "What must be true of the sound; `pliant sound` ends with an error when it is not, `pliant run` does not "
          "look.",
          {{.name = "metric",
            .holds = Holds::text,
            .required = true,
            .doc = "Of the report: NAME_hz is the strongest partial in the WAV of body NAME, NAME_mode_hz its lowest "
                   "mode, "
                   "centroid_hz the mean frequency of the mix, peak_dbfs its loudest sample."},
           {.name = "at_least", .doc = "Its smallest value allowed."},
           {.name = "at_most", .doc = "Its largest value allowed."},
           {.name = "near", .doc = "The value it should have."},
           {.name = "within", .min = 0, .doc = "How far from near it may be."}}},
         "expect_sound { metric = \"bell_hz\", near = 440, within = 2 }",
         make_expect_sound},
    };
    return verbs;
}

}  // namespace pliant::script
