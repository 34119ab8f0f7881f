// Where the files are that programs execute and load.

const ARCHIVE = /app\.asar(?=[\\/])/;

/**
 * Returns a path in Electron's archive as the one beside the archive, where programs and addons are files of
 * their own; any other path as it is.
 */
function unpacked(path: string): string {
  return path.replace(ARCHIVE, '$&.unpacked');
}

export { unpacked };
