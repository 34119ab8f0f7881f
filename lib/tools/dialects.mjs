import { toolDialects } from '../addon/native.mjs';

/** The facts about the dialects, by their names: `src/tools/profile.rs` explains them. */
const profiles = new Map(JSON.parse(toolDialects()).map((profile) => [profile.name, profile]));

/** The names of all dialects. */
const dialects = Object.freeze([...profiles.keys()]);

export { dialects, profiles };
