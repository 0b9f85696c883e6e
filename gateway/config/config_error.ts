/** A configuration that cannot be used, with all its problems, each with its path. */
export class ConfigError extends Error {
  override name = "ConfigError";
  /** One sentence each: `models.2.price: ...`. */
  readonly problems: readonly string[];

  constructor(fileName: string, problems: readonly string[]) {
    super(`Cannot use ${fileName}: ${problems.join("; ")}`);
    this.problems = problems;
  }
}
