/** Wildcards of one pattern. Each one after the second doubles the SQL. */
export const WILDCARDS_MAX = 4
/** Comparisons and values of a whole filter. */
export const ATOMS_MAX = 500
/** Operators and parentheses within each other. */
export const DEPTH_MAX = 16
