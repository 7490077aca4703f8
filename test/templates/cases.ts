import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The text that a template writes; null for a fault. */
export type Answer = string | null
/** A template, and its answer where one stands beside it. */
export type Case = { readonly template: string; readonly expected?: Answer }

const FILE = join(import.meta.dir, 'cases.txt')
const ARROW = '  ⇒  '
const CROSS = '  ✗'

/** Line breaks are `⏎` and `␍` in the table. */
const shown = (text: string) => text.replaceAll('\n', '⏎').replaceAll('\r', '␍')
const meant = (text: string) => text.replaceAll('⏎', '\n').replaceAll('␍', '\r')

const isCase = (line: string) => line !== '' && !line.startsWith('# ')
const lines = () => readFileSync(FILE, 'utf8').split('\n')

/** The table of templates with the answers of FreeMarker. */
export function readCases(): readonly Case[] {
  return lines().filter(isCase).map(caseOf)
}

/** Writes new expectations into the table. */
export function writeCases(answers: readonly Answer[]): void {
  let index = 0
  const written = lines().map((line) => {
    if (!isCase(line)) return line
    const answer = answers[index] ?? null
    index += 1
    return shown(caseOf(line).template) + (answer === null ? CROSS : ARROW + shown(answer))
  })
  writeFileSync(FILE, written.join('\n'))
}

function caseOf(line: string): Case {
  if (line.endsWith(CROSS)) return { template: meant(line.slice(0, -CROSS.length)), expected: null }
  const at = line.lastIndexOf(ARROW)
  if (at < 0) return { template: meant(line) }
  return { template: meant(line.slice(0, at)), expected: meant(line.slice(at + ARROW.length)) }
}
