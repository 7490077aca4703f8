import { beforeAll, describe, expect, test } from 'bun:test'
import { TemplateFault } from '../../src/templates/fault.ts'
import { Template } from '../../src/templates/template.ts'
import { type Answer, readCases, writeCases } from './cases.ts'
import { generated } from './generator.ts'
import { MODEL } from './model.ts'
import { askOracle, hasOracle } from './oracle.ts'

/** The text of a template by this implementation; null for a fault. */
function answer(text: string): Answer {
  try {
    return Template.parse(text).text({ parameters: MODEL, timeZone: 'UTC', now: () => 0 })
  } catch (error) {
    if (error instanceof TemplateFault && error.line > 0) return null
    throw error
  }
}

const SEED = Number(process.env['TIDEMARK_TEST_TEMPLATE_SEED'] ?? 20)
const COUNT = Number(process.env['TIDEMARK_TEST_TEMPLATES'] ?? 2_000)

describe('templates and FreeMarker', () => {
  const cases = readCases()
  const templates = generated(SEED, COUNT)
  let answers: readonly Answer[] = []

  beforeAll(() => {
    if (hasOracle) answers = askOracle([...cases.map(({ template }) => template), ...templates])
  })

  test('the table has many cases, and each writes the text beside it', () => {
    expect(cases.length).toBeGreaterThan(400)
    const wrong = cases.flatMap(({ template, expected }) => {
      const written = answer(template)
      return written === expected ? [] : [{ template, expected, written }]
    })
    expect(wrong).toEqual([])
  })

  test.skipIf(!hasOracle)('FreeMarker writes the texts of the table', () => {
    const real = answers.slice(0, cases.length)
    if (process.env['UPDATE_SNAPSHOTS'] === '1') writeCases(real)
    else expect(cases.map(({ expected }) => expected)).toEqual([...real])
  })

  test.skipIf(!hasOracle)(`${COUNT} random templates write the same here, or fail in both`, () => {
    const real = answers.slice(cases.length)
    const differ = templates.flatMap((template, index) => {
      const [written, expected] = [answer(template), real[index] ?? null]
      return written === expected ? [] : [{ template, expected, written }]
    })
    expect(differ.slice(0, 5)).toEqual([])
    // Templates that fail in both compare nothing but the fault.
    expect(real.filter((text) => text !== null).length).toBeGreaterThan(COUNT / 2)
  })
})
