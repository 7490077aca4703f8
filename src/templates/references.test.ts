import { expect, test } from 'bun:test'
import { renamedIn } from './references.ts'
import { Template } from './template.ts'

const names = (text: string) => Template.parse(text).references()

test.each([
  ['SELECT * FROM ${ref("a b")}', [['a b', '"a b"']]],
  [
    '${ref(\'O\\\'Neil\')} ${ref(r"C:\\x", {"y": 1})}',
    [
      ["O'Neil", "'O\\'Neil'"],
      ['C:\\x', 'r"C:\\x"'],
    ],
  ],
  [
    '<#if x><#assign q = ref("a")><#else>${ref("b")}</#if>',
    [
      ['a', '"a"'],
      ['b', '"b"'],
    ],
  ],
  [
    '<#macro m><@where>${ref("a", {"x": ref("b")})}</@where></#macro>',
    [
      ['a', '"a"'],
      ['b', '"b"'],
    ],
  ],
  ['<#list 1..3 as i>${ref("a")}<#sep> UNION </#list>', [['a', '"a"']]],
  ['<#escape x as ref("a")>${1} ${2}</#escape>', [['a', '"a"']]],
  ['<#-- ${ref("a")} --><#noparse>${ref("b")}</#noparse> ref("c") "ref" ${"ref"}', []],
] as const)('calls of ref in %p', (text, expected) => {
  const { calls, computed } = names(text)
  expect(calls.map(({ name, start, end }) => [name, text.slice(start, end)])).toEqual(
    expected.map((pair) => [...pair]),
  )
  expect(calls.every(({ at }) => text.startsWith('ref', at))).toBe(true)
  expect(computed).toEqual([])
})

test.each([
  ['${ref(name)}', 2],
  ['${ref("a" + b)}', 2],
  ['${ref("a${b}")}', 2],
  ['a ${"${ref(\'a\')}"}', 4],
  ['<#assign r = ref>${r("a")}', 13],
  ['${ref()}', 2],
])('a name that is not written as a string: %p', (text, at) => {
  expect(names(text)).toEqual({ calls: [], computed: [at] })
})

test.each(["L'ow", 'L"ow', 'a\\b', '${x}', '#{x}', '[=x]', '$', 'é😀', 'a}b', '"\\"'])(
  'a name becomes %p, in quotes of both kinds',
  (to) => {
    const text = `\${ref("Low")} \${ref('low', {"a": ref(r"Low")})} \${ref("Other")} "Low"`
    const matches = (name: string) => name.toLowerCase() === 'low'
    const renamed = renamedIn(text, names(text), { matches, to })
    expect(names(renamed)).toMatchObject({
      computed: [],
      calls: [to, to, to, 'Other'].map((name) => ({ name })),
    })
    expect(renamedIn(renamed, names(renamed), { matches: (name) => name === to, to: 'Low' })).toBe(
      `\${ref("Low")} \${ref('Low', {"a": ref("Low")})} \${ref("Other")} "Low"`,
    )
  },
)
