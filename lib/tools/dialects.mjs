import { failure, toolDialects } from '../addon/native.ts';

/** The facts about the dialects, by their names: `src/tools/profile.rs` explains them. */
const profiles = new Map(
  failure === null ? JSON.parse(toolDialects()).map((profile) => [profile.name, profile]) : [],
);

/** The names of all dialects; none without the addon. */
const dialects = Object.freeze([...profiles.keys()]);

export { dialects, profiles };
