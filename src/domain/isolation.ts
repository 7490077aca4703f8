/** How a script is separated from the runner's machine, strongest first. */
export const ISOLATIONS = ['full', 'reduced', 'uid', 'none'] as const

export type Isolation = (typeof ISOLATIONS)[number]
