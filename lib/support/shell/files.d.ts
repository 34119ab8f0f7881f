declare module '*.sh' {
  /** The text of a script for a shell, which the bundler inlines. */
  const text: string;
  export default text;
}
