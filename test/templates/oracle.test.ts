import { beforeAll, describe, expect, test } from 'bun:test'
import { answerOf } from './answers.ts'
import { type Answer, readCases, writeCases } from './cases.ts'
import { generated } from './generator.ts'
import { askOracle, hasOracle } from './oracle.ts'
import { SEED } from '../seed.ts'

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
      const written = answerOf(template)
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
      const [written, expected] = [answerOf(template), real[index] ?? null]
      return written === expected ? [] : [{ template, expected, written }]
    })
    expect(differ.slice(0, 5)).toEqual([])
    // Templates that fail in both compare nothing but the fault.
    expect(real.filter((text) => text !== null).length).toBeGreaterThan(COUNT / 2)
  })
})
