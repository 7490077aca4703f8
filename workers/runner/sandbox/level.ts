import type { Isolation } from '../../../src/domain/isolation.ts'

/** The means of a machine to isolate jobs. */
export const MEANS = ['namespaces', 'seccomp', 'uids', 'cgroups', 'rooms', 'landlock'] as const

export type Means = (typeof MEANS)[number]

/** The reason why each is not used; null for a used one. */
export type ProbeResults = Readonly<Record<Means, string | null>>

/** The level of isolation that these means reach. */
export function levelOf(has: (means: Means) => boolean): Isolation {
  if (FULL.every(has)) return 'full'
  // Landlock does not end processes that leave the process tree of the job; by a user of the job's own they are found.
  if (has('namespaces') || (has('landlock') && has('uids'))) return 'reduced'
  return has('uids') ? 'uid' : 'none'
}

/** Landlock replaces namespaces on machines without them, so that `full` does not need it. */
const FULL = MEANS.filter((means) => means !== 'landlock')

/** The reasons why a machine does not reach the full level, in words. */
export function missingOf(found: ProbeResults): string[] {
  return FULL.flatMap((means) => (found[means] === null ? [] : [`${LACKS[means]} (${found[means]})`]))
}

const LACKS: Readonly<Record<Means, string>> = {
  namespaces: 'no isolation of files, processes and network',
  seccomp: 'no system call filter',
  uids: 'no separate user for each run',
  cgroups: 'no limit of memory, processes and CPU',
  rooms: 'no limit of directory sizes',
  landlock: 'no Landlock',
}
