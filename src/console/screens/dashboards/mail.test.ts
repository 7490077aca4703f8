import { expect, test } from 'bun:test'

import type { Definition } from './dashboard.ts'
import { drawnWidgets, isMailed } from './mail.ts'

test('values, histories, service levels and charts of lines, areas and bars have images', () => {
  const widgets = {
    value: { kind: 'value' },
    history: { kind: 'history' },
    slo: { kind: 'slo' },
    ...Object.fromEntries(
      ['line', 'area', 'bar', 'stacked', 'scatter', 'pie', 'heatmap', 'histogram'].map((type) => [
        type,
        { kind: 'chart', type },
      ]),
    ),
    text: { kind: 'text' },
    table: { kind: 'table' },
    later: { kind: 'unknown' },
  } as unknown as Definition['widgets']
  expect(drawnWidgets({ widgets })).toEqual(['value', 'history', 'slo', 'line', 'area', 'bar'])
})

test('recipients of the types email, user and group get mails', () => {
  const types = ['user', 'group', 'email', 'webhook', 'slack', 'teams', 'telegram', 'ntfy', 'script'] as const
  expect(types.filter(isMailed)).toEqual(['user', 'group', 'email'])
})
