/** Budgets of users and tags: the sums of a key's spend under their names. */
export const BUDGET_TABLES = `
alter table key_spend add column named text;  -- JSON by name; null for none
`;
