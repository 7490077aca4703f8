import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { templateSql } from '../../src/data/sql/template-sql.ts'
import { builtInNames } from '../../src/templates/built-ins/names.ts'
import { OUTPUT_MAX, STEPS_MAX, TEMPLATE_MAX, TURNS_MAX } from '../../src/templates/limits.ts'
import { type Given, Template } from '../../src/templates/template.ts'

const page = readFileSync(join(import.meta.dir, '../../docs/reference/templates.md'), 'utf8')
const [, json = ''] = /```json\n([^]*?)```/.exec(page) ?? []
const surroundings = {
  parameters: JSON.parse(json) as Record<string, Given>,
  timeZone: 'UTC',
}
const examples = [...page.matchAll(/```ftl\n([^]*?)\n```\n```(sql|text)\n([^]*?)\n```/g)]

describe('the page of templates', () => {
  test.each(examples.map(([, template = '', kind = '', output = '']) => [template, kind, output]))(
    'example %p',
    (template, kind, output) => {
      const parsed = Template.parse(template)
      if (kind === 'text') {
        expect(parsed.text(surroundings)).toBe(output)
        return
      }
      const { text, binds } = templateSql(parsed.sql(surroundings), 'postgresql')
      const shown = `-- binds: [${binds.map(({ value }) => JSON.stringify(value)).join(', ')}]`
      expect(`${text}\n${shown}`).toBe(output)
    },
  )

  test('has examples of both kinds', () => {
    expect(examples.length).toBe(page.split('```ftl').length - 1)
    expect(new Set(examples.map(([, , kind]) => kind))).toEqual(new Set(['sql', 'text']))
  })

  test('lists each built-in', () => {
    const [, list = ''] = /## Built-ins\n([^]*?)\n## /.exec(page) ?? []
    const listed = [...list.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    expect(new Set(listed)).toEqual(new Set(builtInNames()))
  })

  test('names the limits', () => {
    const limits = [TEMPLATE_MAX, TURNS_MAX, OUTPUT_MAX, STEPS_MAX]
    for (const limit of limits) expect(page).toContain(limit.toLocaleString('en'))
  })
})
