export declare function canonicalAnswer(
  message: Readonly<Record<string, unknown>>,
  form: string,
): string | undefined;
