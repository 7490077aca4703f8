import { describe, expect, test } from 'bun:test'
import { TemplateFault } from './fault.ts'
import { DEPTH_MAX, Limits, OUTPUT_MAX, STEPS_MAX, TEMPLATE_MAX, TURNS_MAX } from './limits.ts'
import { Template } from './template.ts'

const written = (text: string) => Template.parse(text).text({ parameters: {}, timeZone: 'UTC' })

function faultOf(run: () => unknown): TemplateFault {
  try {
    run()
  } catch (error) {
    if (error instanceof TemplateFault) return error
    throw error
  }
  throw new Error('the template has no fault')
}

const macro = '<#macro m n>x<#if (n > 1)><@m n=n-1/></#if></#macro>'
const texts = (count: number) => `<#assign a = "x"?left_pad(${OUTPUT_MAX / 16})>${'${a}'.repeat(count)}`

describe('limits of templates', () => {
  test('turns of all loops together', () => {
    expect(written(`<#list 1..${TURNS_MAX} as i></#list>`)).toBe('')
    expect(faultOf(() => written(`<#list 1..${TURNS_MAX} as i></#list><#list 1..1 as i></#list>`)).code).toBe(
      'limit',
    )
    expect(faultOf(() => written('<#list 1.. as i></#list>')).code).toBe('limit')
    expect(faultOf(() => written('<#list 1..200 as i><#list 1..200 as j></#list></#list>')).code).toBe(
      'limit',
    )
  })

  test('depth of macros, functions and snippets', () => {
    expect(written(`${macro}<@m n=${DEPTH_MAX}/>`)).toBe('x'.repeat(DEPTH_MAX))
    expect(faultOf(() => written(`${macro}<@m n=${DEPTH_MAX + 1}/>`)).code).toBe('limit')
    expect(faultOf(() => written('<#function f><#return f()></#function>${f()}')).code).toBe('limit')
    const snippet = () => Template.parse('<#include "snippet:again">')
    const circle = () => snippet().text({ parameters: {}, timeZone: 'UTC', snippet })
    expect(faultOf(circle)).toMatchObject({ code: 'limit', snippet: 'again', line: 1, column: 1 })
  })

  test('depth of parentheses and of directives', () => {
    const nested = (count: number) => `\${${'('.repeat(count)}1${')'.repeat(count)}}`
    expect(written(nested(49))).toBe('1')
    expect(faultOf(() => written(nested(50))).code).toBe('limit')
    // Each `!` reads ahead: without a bound, the time doubles with each of them.
    expect(faultOf(() => written(`\${${'a!('.repeat(40)}*${')'.repeat(40)}}`)).code).toBe('limit')
    const blocks = (count: number) => `${'<#if true>'.repeat(count)}x${'</#if>'.repeat(count)}`
    expect(written(blocks(50))).toBe('x')
    expect(faultOf(() => written(blocks(51))).code).toBe('limit')
  })

  test('operators and parts in a row', () => {
    expect(written(`\${1${' + 1'.repeat(500)}}`)).toBe('501')
    expect(faultOf(() => written(`\${1${' + 1'.repeat(502)}}`)).code).toBe('limit')
    expect(faultOf(() => written(`\${a${'.a'.repeat(2_000)}}`)).code).toBe('limit')
  })

  test('the output, and each text on the way', () => {
    expect(written(texts(16)).length).toBe(OUTPUT_MAX)
    expect(faultOf(() => written(`${texts(16)}x`)).code).toBe('limit')
    const doubling = `<#assign a = "x"><#list 1..30 as i><#assign a = a + a></#list>`
    expect(faultOf(() => written(doubling)).code).toBe('limit')
    expect(faultOf(() => written('${""?left_pad(100000000)}')).code).toBe('limit')
    expect(faultOf(() => written('<#assign a = 2><#list 1..30 as i><#assign a = a * a></#list>')).code).toBe(
      'limit',
    )
  })

  test('the steps, which no clock decides', () => {
    const limits = new Limits()
    limits.step(0, STEPS_MAX)
    expect(faultOf(() => limits.step(7)).complaint).toContain(`${STEPS_MAX} steps`)
    const turn = '<#list 1..10000 as i><#if (i % 7 == 0)>${i}, </#if></#list>'
    expect(written(turn).length).toBeGreaterThan(0)
    const heavy = `<#assign a = (1..90000)><#list 1..9000 as i><#assign b = a[0..80000]></#list>`
    expect(faultOf(() => written(heavy)).code).toBe('limit')
  })

  test('the size of a template', () => {
    expect(written('x'.repeat(TEMPLATE_MAX)).length).toBe(TEMPLATE_MAX)
    expect(faultOf(() => written('x'.repeat(TEMPLATE_MAX + 1))).code).toBe('limit')
  })

  test('an attempt does not catch them', () => {
    const caught = '<#attempt><#list 1.. as i></#list><#recover>caught</#attempt>'
    expect(faultOf(() => written(caught)).code).toBe('limit')
  })

  test('hostile templates end within 500 ms of CPU', () => {
    const hostile = [
      '<#list 1.. as i>x</#list>',
      '<#macro m><@m/></#macro><@m/>',
      `<#assign a = "x"?left_pad(1000000)><#list 1..100 as i>\${a}</#list>`,
      'x'.repeat(102_400),
      `\${${'a!('.repeat(20_000)}`,
      '<#if '.repeat(20_000),
      '${'.repeat(40_000),
      '<#--'.repeat(20_000),
      `\${${'!'.repeat(50_000)}true}`,
      `${'<#escape x as x + x>'.repeat(30)}\${a}${'</#escape>'.repeat(30)}`,
      `\${"${'a'.repeat(20_000)}"?replace("a?", "${'b'.repeat(60)}", "r")}`,
      `\${"${'a'.repeat(19_990)}b"?matches("(a+)+(a*)*$")?c}\${missing}`,
      '${"a"?matches("((((a{1,1000}){1,1000}){1,1000}){1,1000})")?c}',
      `<#assign a = "x"?left_pad(9999, "y")><#list 1..9999 as i><#assign b = a?replace("", "xx")?split("")?join("-")></#list>`,
      // Each of these reads a long string, and makes a short one or none.
      ...[
        'a?trim',
        'a?length',
        'a?contains("z")',
        'a?index_of(a?substring(1) + "z")',
        'a?starts_with(a)',
        '(a == a + "")?c',
        `('["' + a?substring(0, 99999) + '"]')?eval_json`,
        'a?substring(0, 20000)?matches("(x|xx| )*y{1,999}")',
        'a?word_list',
      ].map(
        (use) =>
          `<#assign a = "x" + " "?left_pad(999998) + "x"><#list 1..9999 as i><#assign b = ${use}></#list>`,
      ),
      `<#assign a = ${'9'.repeat(990)}><#list 1..9999 as i><#assign b = ${'a / 7 + '.repeat(300)}1></#list>`,
      `<#list 1..9999 as i>${'${i}'.repeat(100)}</#list>`,
    ]
    for (const text of hostile) {
      const start = process.cpuUsage()
      expect(() => written(text)).toThrow(TemplateFault)
      const { user, system } = process.cpuUsage(start)
      expect({ text: text.slice(0, 40), isQuick: user + system < 500_000 }).toMatchObject({ isQuick: true })
    }
  })
})

describe('places of faults', () => {
  test.each([
    ['a\nb ${missing}', 2, 5],
    ['a\r\n<#if yes>', 2, 1],
    ['${1 + }', 1, 7],
    ['\n\n  <#nosuch>', 3, 3],
    ['<#macro m>\n${missing}</#macro>\n\n<@m/>', 2, 3],
    ['${"a${missing}"}', 1, 3],
    ['a\n${1}${"1e999"?number + "1e999"?number * "9e999"?number}', 2, 41],
    [`a\n ${'$'}{${'9'.repeat(1_001)}}`, 2, 4],
  ])('%p', (text, line, column) => {
    expect(faultOf(() => written(text))).toMatchObject({ line, column })
  })
})
