/** Segments of paths below `/dashboards` that are no dashboards. */
const RESERVED: ReadonlySet<string> = new Set([
  'groups',
  'export',
  'import',
  'public',
  'schema',
  'snapshots',
  'by-url',
  'validate',
  'grafana',
  'uses',
  'start',
])
export const URL_NAME = /^[A-Za-z0-9-]{1,80}$/
const LENGTH_MAX = 80

const LIGATURES: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  æ: 'ae',
  ø: 'oe',
  œ: 'oe',
  å: 'aa',
}

/** Whether a URL name is neither a number nor a path of another route. */
export function isFreeWord(urlName: string): boolean {
  return !/^\d+$/.test(urlName) && !RESERVED.has(urlName.toLowerCase())
}

/** The URL name that a name becomes. */
export function urlNameOf(name: string): string {
  const made = name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[äöüßæøœå]/g, (letter) => LIGATURES[letter] ?? letter)
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LENGTH_MAX)
    .replaceAll(/^-+|-+$/g, '')
  if (made === '') return 'dashboard'
  return isFreeWord(made) ? made : `dashboard-${made}`
}

/** The URL name with a number that none of these have. */
export function freeUrlName(wanted: string, taken: ReadonlySet<string>): string {
  if (!taken.has(wanted)) return wanted
  for (let number = 2; ; number++) {
    const suffix = `-${number}`
    const made = wanted.slice(0, LENGTH_MAX - suffix.length) + suffix
    if (!taken.has(made)) return made
  }
}
