import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { pathOf } from '../scripts/path.ts'
import { bareName, placeFor } from './names.ts'

test.each([
  ['import-orders.zip', 'import-orders'],
  ['import-orders_0.1.zip', 'import-orders'],
  ['Imports/import-orders_0.1.zip', 'import-orders'],
  ['Job-v1.2.3.zip', 'Job'],
  ['Job 10.20.ZIP', 'Job'],
  ['Job_0.1-SNAPSHOT.zip', 'Job'],
  ['Job_0.1-rc.1.zip', 'Job'],
  ['Job (2).zip', 'Job'],
  ['Job(12).zip', 'Job'],
  ['Job_0.1 (2).zip', 'Job_0.1'],
  ['Job_1.zip', 'Job_1'],
  ['Job-v2.zip', 'Job'],
  ['tool-v3.zip', 'tool'],
  ['report v2.0.zip', 'report'],
  ['tool_V3.zip', 'tool'],
  ['tool-v3-rc.1.zip', 'tool'],
  ['tool-v.zip', 'tool-v'],
  ['toolv3.zip', 'toolv3'],
  ['tool-vault2.zip', 'tool-vault2'],
  ['Job1.2.zip', 'Job1.2'],
  ['Job_0.1_final.zip', 'Job_0.1_final'],
  ['report.2026.zip', 'report.2026'],
  ['_0.1.zip', '_0.1'],
  ['e\u0301.zip', '\u00e9'],
  ['Job_0.1', 'Job'],
  ['.zip', ''],
])('the archive %p is of the script %p', (file, name) => expect(bareName(file)).toBe(name))

test('scripts with any names have places of their own, which are paths', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('a', 'A', '..', 'a/b', 'a\\b', ''),
  )
  fc.assert(
    fc.property(fc.array(fc.record({ group: name, name })), (scripts) => {
      const taken = new Set<string>()
      const places = scripts.map((script) => placeFor(script, taken))
      for (const place of places) {
        expect(pathOf(place)).toBe(place)
        expect(place.split('/')).toHaveLength(2)
      }
      expect(new Set(places.map((place) => place.toLowerCase())).size).toBe(places.length)
    }),
  )
})
