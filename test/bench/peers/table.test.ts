import { describe, expect, test } from 'bun:test'

import { cell, markdownOf } from './table.ts'
import type { Bar, Row } from './table.ts'

const PEERS = ['VictoriaMetrics', 'InfluxDB']

function lineOf(better: Row['better'], values: Readonly<Record<string, number>>, bar?: Bar): string {
  const cells = new Map(Object.entries(values).map(([name, value]) => [name, cell(value, 1)]))
  const row: Row = { measure: 'm', better, cells, ...(bar ? { bar } : {}) }
  const lines = markdownOf([{ title: 'T', explained: 'e', rows: [row] }], PEERS).split('\n')
  return lines.find((line) => line.startsWith('| m |')) ?? ''
}

const HALF: Bar = { is: 'ratio', atLeast: 0.5 }
const LIMIT: Bar = { is: 'value', atMost: 20 }

describe('the table', () => {
  test.each<[Row['better'], Record<string, number>, Bar | undefined, string]>([
    // The strongest is the largest or the smallest; the bar is about one peer, whoever is the strongest.
    [
      'more',
      { Tidemark: 50, VictoriaMetrics: 100, InfluxDB: 200 },
      HALF,
      '| m | 50.0 | 100.0 | 200.0 | 0.25 × InfluxDB | ≥ 0.5 × VictoriaMetrics: 0.50 ×, met |',
    ],
    [
      'less',
      { Tidemark: 49, VictoriaMetrics: 100, InfluxDB: 200 },
      HALF,
      '| m | 49.0 | 100.0 | 200.0 | 0.49 × VictoriaMetrics | ≥ 0.5 × VictoriaMetrics: 0.49 ×, **missed** |',
    ],
    ['more', { Tidemark: 1234 }, HALF, '| m | 1,234.0 | – | – | – | ≥ 0.5 × VictoriaMetrics: not measured |'],
    ['less', { InfluxDB: 7 }, LIMIT, '| m | – | – | 7.0 | – | ≤ 20: not measured |'],
    ['less', { Tidemark: 20 }, LIMIT, '| m | 20.0 | – | – | – | ≤ 20: met |'],
    ['less', { Tidemark: 20.1 }, LIMIT, '| m | 20.1 | – | – | – | ≤ 20: **missed** |'],
    ['less', { Tidemark: 2, InfluxDB: 4 }, undefined, '| m | 2.0 | – | 4.0 | 0.50 × InfluxDB |  |'],
  ])('when %s is better: %j, %j', (better, values, bar, line) => {
    expect(lineOf(better, values, bar)).toBe(line)
  })
})
