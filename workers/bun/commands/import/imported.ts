/** A job of a manifest that was made from a check of another system. */
export type ImportedJob = {
  readonly name: string
  readonly properties?: Readonly<Record<string, string>>
  readonly stopped?: true
  readonly interval?: string
  readonly parameters: Readonly<Record<string, unknown>>
}
export type ImportedDevice = {
  readonly name: string
  readonly address?: string
  readonly jobs: readonly ImportedJob[]
}
export type ImportedGroup = {
  readonly name: string
  readonly devices?: readonly ImportedDevice[]
  readonly groups?: readonly ImportedGroup[]
}

const PROPERTY_MAX = 4000
const MINUTE_S = 60
const HOUR_S = 3600

/** Seconds as an ISO 8601 duration: `PT1H30M`. */
export function durationOf(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds))
  const parts = [
    [Math.floor(whole / HOUR_S), 'H'],
    [Math.floor((whole % HOUR_S) / MINUTE_S), 'M'],
    [whole % MINUTE_S, 'S'],
  ] as const
  return `PT${parts.map(([count, unit]) => (count === 0 ? '' : `${count}${unit}`)).join('')}`
}

/** The properties that have a text, cut to what a property may hold. */
export function propertiesOf(texts: Readonly<Record<string, string | undefined>>): {
  readonly properties?: Readonly<Record<string, string>>
} {
  const found = Object.entries(texts).flatMap(([key, text]) =>
    text === undefined || text === '' ? [] : [[key, text.slice(0, PROPERTY_MAX)] as const],
  )
  return found.length === 0 ? {} : { properties: Object.fromEntries(found) }
}

/** Gives each job a name of its own: a manifest finds objects by their names, other systems by their ids. */
export function withOwnNames<Named extends { readonly name: string }>(
  all: readonly Named[],
): readonly Named[] {
  const taken = new Set<string>()
  return all.map((one) => {
    let name = one.name
    for (let count = 2; taken.has(name); count++) name = `${one.name} (${count})`
    taken.add(name)
    return { ...one, name }
  })
}
