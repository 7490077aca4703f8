import { describe, expect, test } from 'bun:test'

import type { State } from '../../domain/state.ts'
import { STATES } from '../../domain/state.ts'
import { badgeOf } from './badge.ts'
import { SPOKEN } from '../../lib/language.ts'
import { renderPage, percentText, STYLE } from './page.ts'
import type { PublicStatus } from './shown.ts'
import { toneOf, toneOfPercent } from './shown.ts'
import { WORDS } from './words.ts'

const AT = Date.UTC(2026, 2, 2, 9)
const objectIn = (name: string, state: State) => ({
  name,
  state,
  sinceAt: AT,
  maintainedUntilAt: AT + 3_600_000,
})

function shownWith(part: Partial<PublicStatus> = {}): PublicStatus {
  return { object: objectIn('shop', 'ok'), children: [], days: [], percent: 100, at: AT, ...part }
}

const english = (shown: PublicStatus) => renderPage(shown, 'en', 'Europe/Zurich')

/** The contrast of two colours (WCAG 2.2, relative luminance). */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const digits = color.length === 4 ? color.replaceAll(/[\da-f]/g, '$&$&') : color
    const [r = 0, g = 0, b = 0] = [1, 3, 5]
      .map((from) => parseInt(digits.slice(from, from + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

describe('what is seen', () => {
  test('can be read in light and in dark: every text has a contrast of 4.5', () => {
    const modes = [...STYLE.matchAll(/:root \{([^}]*)\}/g)].map(
      ([, rules = '']) =>
        new Map(
          [...rules.matchAll(/--(\w+): (#[\da-f]+)/g)].map(([, name = '', color = '']) => [name, color]),
        ),
    )
    expect(modes).toHaveLength(2)
    for (const colors of modes) {
      const texts = [...colors].filter(([name]) => name !== 'ground' && name !== 'line')
      expect(texts).toHaveLength(6)
      for (const [, color] of texts)
        expect(contrast(color, colors.get('ground') ?? '')).toBeGreaterThanOrEqual(4.5)
    }
  })

  test('can be read on badges as well', () => {
    for (const tone of ['good', 'odd', 'bad', 'care', 'none'] as const) {
      const fills = [...badgeOf('a', 'b', tone).matchAll(/<rect[^>]* fill="(#[\da-f]{6})"/g)]
      expect(fills).toHaveLength(2)
      for (const [, fill = ''] of fills) expect(contrast(fill, '#ffffff')).toBeGreaterThanOrEqual(4.5)
    }
  })

  test('is never colour alone: every state has words, in every language', () => {
    for (const language of SPOKEN) {
      for (const state of STATES) {
        const page = renderPage(shownWith({ object: objectIn('shop', state) }), language, 'UTC')
        expect(page).toContain(`<strong class="${toneOf(state)}">${WORDS[language].states[state]}</strong>`)
      }
    }
  })
})

describe('a page', () => {
  test('shows outages and maintenance separately, and leaves out empty lists', () => {
    const children = [objectIn('a', 'minor'), objectIn('b', 'maintenance_major'), objectIn('c', 'no_data')]
    const page = english(shownWith({ children }))
    const sections = [...page.matchAll(/<h2>([^<]*)<\/h2>(.*?)<\/section>/gs)].map(
      ([, title, content = '']) => [title, [...content.matchAll(/<li>(\w+):/g)].map(([, name]) => name)],
    )
    expect(sections.slice(0, 3)).toEqual([
      ['Current outages', ['a']],
      ['Maintenance', ['b']],
      ['Components', ['a', 'b', 'c']],
    ])
    expect(english(shownWith())).not.toContain('<h2>Maintenance')
    expect(english(shownWith())).not.toContain('<h2>Components')
    expect(english(shownWith())).toContain('None.')
  })

  test('has an end only of maintenance', () => {
    expect(english(shownWith())).not.toContain('until')
    expect(english(shownWith({ object: objectIn('shop', 'maintenance_ok') }))).toContain('until <time')
  })

  test('has days as they are where the service is', () => {
    const page = english(shownWith({ days: [{ beginAt: Date.UTC(2026, 2, 1, 23), percent: 99.999 }] }))
    expect(page).toContain('>2 Mar 2026</time><span>: 99.99 %</span>')
    expect(page).toContain('Availability today')
  })
})

test.each([
  [null, 'unknown', 'none'],
  [100, '100.00 %', 'good'],
  [99.999, '99.99 %', 'good'],
  [99.9, '99.90 %', 'good'],
  [99.899, '99.89 %', 'odd'],
  [95, '95.00 %', 'odd'],
  [94.999, '94.99 %', 'bad'],
  [64.1, '64.10 %', 'bad'],
  [0, '0.00 %', 'bad'],
] as const)('%p percent is %s and looks %s', (percent, text, tone) => {
  expect(percentText(percent, WORDS.en)).toBe(text)
  expect(toneOfPercent(percent)).toBe(tone)
})
