/** The dashes of lines: series differ by them as well as by colour. */
export const DASHES: readonly (readonly number[])[] = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2]]
