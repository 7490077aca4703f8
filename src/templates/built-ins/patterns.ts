import type { Call } from './call.ts'

/** A pattern, for built-ins with the flag `r`. */
export type Pattern = {
  split(text: string): string[]
  replace(text: string, by: string, isFirstOnly: boolean): string
  place(text: string, isLast: boolean): { readonly at: number; readonly end: number } | undefined
}

/** The flags in an argument. */
export function flagsOf(call: Call, index: number): string {
  const flags = call.count > index ? call.text(index) : ''
  if (!/^[rifmsc]*$/.test(flags)) call.fail(`does not know the flags ${flags}`)
  return flags
}

export function patternOf(call: Call, _pattern: string, _flags: string): Pattern {
  return call.fail('does not take patterns')
}
