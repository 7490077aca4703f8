import { describe, expect, test } from 'bun:test'
import { Template } from '../../templates/template.ts'
import { DEPTH_MAX, REACHED_MAX, keyOf, referenceFaults } from './references.ts'
import type { Library, Published } from './references.ts'

const SOURCE = 1

function published(name: string, below: readonly string[], dataSourceId = SOURCE): Published {
  const text = `SELECT 1 ${below.map((other) => `\${ref("${other}")}`).join(' ')}`
  const template = Template.parse(text)
  return { name, dataSourceId, parameters: [], escaping: 'bind', template, references: template.references() }
}

const libraryOf = (entries: readonly (Published | string)[]): Library =>
  new Map(
    entries.map((entry) => (typeof entry === 'string' ? [keyOf(entry), null] : [keyOf(entry.name), entry])),
  )

function faults(
  text: string,
  library: Library,
  name: string | null = 'Root',
  escaping: Published['escaping'] = 'bind',
) {
  const references = Template.parse(text).references()
  return referenceFaults({ name, dataSourceId: SOURCE, escaping, references }, library)
}

describe('faults of references', () => {
  test('of and to a template whose values become SQL', () => {
    const library = libraryOf([{ ...published('Old', []), escaping: 'legacy' }, published('New', [])])
    expect(faults('${ref("old")}', library)).toMatchObject([
      { complaint: 'the data query has the escaping legacy: Root > Old' },
    ])
    expect(faults('${ref("new")}', library, 'Root', 'legacy')).toMatchObject([{ code: 'invalid' }])
    expect(faults('${ref("new")}', library)).toEqual([])
  })

  test('names in any case of A to Z, and composed', () => {
    const library = libraryOf([published('Größe', [])])
    expect(faults('${ref("grÖße")}', library)).toMatchObject([{ code: 'not_found' }])
    expect(faults('${ref("GRöße")} ${ref("gro\u0308ße")}', library)).toEqual([])
  })

  test('a data query that is missing, unpublished or of another source, with the path to it', () => {
    const library = libraryOf([published('A', ['B']), published('B', ['C']), published('C', ['gone']), 'new'])
    expect(faults('SELECT ${ref("a")}', library)).toEqual([
      {
        position: 9,
        code: 'not_found',
        complaint: 'there is no data query of this name: Root > A > B > C > gone',
      },
    ])
    expect(faults('${ref("a")} ${ref("b")}', library)[1]?.complaint).toContain('Root > B > C > gone')
    expect(faults('${ref("New")}', library, null)).toEqual([
      { position: 2, code: 'not_found', complaint: 'the data query was never published: this text > New' },
    ])
    expect(faults('${ref("far")}', libraryOf([published('far', [], 2)]))).toEqual([
      { position: 2, code: 'invalid', complaint: 'the data query reads another data source: Root > far' },
    ])
  })

  test('a cycle, also of the template itself', () => {
    const library = libraryOf([published('A', ['B']), published('B', ['C']), published('C', ['A'])])
    expect(faults('${ref("b")}', library)).toEqual([
      { position: 2, code: 'cycle', complaint: 'refers to itself: Root > B > C > A > B' },
    ])
    expect(faults('${ref("root")}', libraryOf([published('Root', [])]))).toMatchObject([
      { code: 'cycle', complaint: 'refers to itself: Root > Root' },
    ])
  })

  test('levels up to the limit', () => {
    expect(DEPTH_MAX).toBe(10)
    const chain = Array.from({ length: DEPTH_MAX + 1 }, (_, at) =>
      published(`q${at}`, at > 0 ? [`q${at - 1}`] : []),
    )
    expect(faults(`\${ref("q${DEPTH_MAX - 1}")}`, libraryOf(chain))).toEqual([])
    // The levels of q9 are known when q10 is visited.
    expect(faults(`\${ref("q${DEPTH_MAX - 1}")} \${ref("q${DEPTH_MAX}")}`, libraryOf(chain))).toMatchObject([
      { code: 'invalid', complaint: expect.stringContaining(`more than ${DEPTH_MAX} levels`) as string },
    ])
  })

  test('data queries up to the limit, of which each is visited once', () => {
    const wide = (count: number) => {
      const names = Array.from({ length: count }, (_, at) => `q${at}`)
      return libraryOf(names.map((name, at) => published(name, at < 9 ? names.slice(at + 1, at + 6) : [])))
    }
    expect(faults('${ref("q0")}', wide(REACHED_MAX))).toEqual([])
    expect(faults('${ref("q0")}', wide(REACHED_MAX + 1))).toMatchObject([{ code: 'invalid' }])
  })

  test('a computed name', () => {
    expect(faults('${ref(x)}', new Map())).toMatchObject([{ position: 2, code: 'invalid' }])
  })
})
