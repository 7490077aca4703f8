/** One import of a file, in whatever form: `import`, `export … from`, `import()`, `import type`, `typeof import()`. */
export type Import = {
  readonly line: number
  /** What is imported from; undefined when an `import()` computes it. */
  readonly specifier: string | undefined
  /** What stands between `import` or `export` and `from`; empty where the form has no such thing. */
  readonly clause: string
  readonly isTypeOnly: boolean
}

/** A TypeScript text taken apart. `code` and `comments` keep every position: what is not theirs is blank. */
export type SourceText = {
  readonly code: string
  readonly comments: string
  readonly imports: readonly Import[]
}

/** Takes a TypeScript text apart without a parser, so that no compiler's release can break the walls. */
export function readSource(text: string): SourceText {
  const { code, comments } = separate(text)
  return { code, comments, imports: findImports(text, code) }
}

/** The 1-based line of a position in a text. */
export function lineAt(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

// Sticky patterns, tried in this order at each position that can begin a token.
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y
const QUOTED = /'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?/y
const TEMPLATE_PART = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y
const REGEXP = /\/(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y
const PLAIN = /[^/'"`{}]+/y
// A slash after one of these begins a regular expression; after anything else it divides.
const BEFORE_REGEXP =
  /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|do|else|void|await|yield))\s*$/

function separate(text: string): { code: string; comments: string } {
  const code: string[] = []
  const comments: string[] = []
  // One entry per open template literal: how many braces are open inside its current `${`.
  const templates: number[] = []
  let at = 0

  const match = (pattern: RegExp, from = at): string => {
    pattern.lastIndex = from
    return pattern.exec(text)?.[0] ?? ''
  }
  const take = (token: string, kind: 'code' | 'comment' | 'string') => {
    if (kind === 'code') code.push(token)
    else code.push(kind === 'string' ? blankInside(token) : blank(token))
    comments.push(kind === 'comment' ? token : blank(token))
    at += token.length
  }
  const takeTemplatePart = (opening: string) => {
    const token = opening + match(TEMPLATE_PART, at + opening.length)
    if (token.endsWith('${')) templates.push(0)
    take(token, 'string')
  }
  const takeBrace = (brace: string) => {
    const open = templates.at(-1)
    if (brace === '}' && open === 0) {
      templates.pop()
      return takeTemplatePart('}')
    }
    if (open !== undefined) templates[templates.length - 1] = open + (brace === '{' ? 1 : -1)
    return take(brace, 'code')
  }
  const takeSlash = () => {
    const comment = match(COMMENT)
    if (comment !== '') return take(comment, 'comment')
    const before = code.slice(-8).join('').slice(-200)
    const regexp = BEFORE_REGEXP.test(before) ? match(REGEXP) : ''
    return regexp === '' ? take('/', 'code') : take(regexp, 'string')
  }

  while (at < text.length) {
    const first = text.charAt(at)
    if (first === '/') takeSlash()
    else if (first === '`') takeTemplatePart('`')
    else if (first === "'" || first === '"') take(match(QUOTED), 'string')
    else if (first === '{' || first === '}') takeBrace(first)
    else take(match(PLAIN), 'code')
  }
  return { code: code.join(''), comments: comments.join('') }
}

const blank = (token: string) => token.replace(/[^\n]/g, ' ')

/** Blanks a string or template part but keeps its delimiters, so that the code around it can still be read. */
function blankInside(token: string): string {
  if (token.length < 2) return token
  const tail = token.endsWith('${') ? 2 : 1
  return token.charAt(0) + blank(token.slice(1, -tail)) + token.slice(-tail)
}

// A string as `separate` leaves it: its delimiters with blanks between them, and no `${`.
const NAME = /(?<quote>['"`])(?<name>[^\S\n]*)\k<quote>/.source
// A clause never runs over the next `import` or `export`.
const STATIC = new RegExp(
  String.raw`\b(?:import|export)\b(?<clause>(?:(?!\b(?:import|export)\b)[\s\w*{},$'"])*?)\bfrom\s*${NAME}`,
  'dg',
)
const BARE = new RegExp(String.raw`\bimport\s*${NAME}`, 'dg')
const CALL = new RegExp(
  String.raw`(?<![.\w$])(?<type>typeof\s+)?(?:import|require)\s*\((?:\s*${NAME}\s*[,)])?`,
  'dg',
)

function findImports(text: string, code: string): Import[] {
  return [STATIC, BARE, CALL].flatMap((form) =>
    [...code.matchAll(form)].map((match) => {
      const clause = match.groups?.['clause']?.trim() ?? ''
      return {
        line: lineAt(text, match.index),
        specifier: specifierOf(text, match),
        clause,
        isTypeOnly: match.groups?.['type'] !== undefined || isTypeClause(clause),
      }
    }),
  )
}

function specifierOf(text: string, match: RegExpExecArray): string | undefined {
  const range = match.indices?.groups?.['name']
  return range === undefined ? undefined : text.slice(...range)
}

function isTypeClause(clause: string): boolean {
  // `import type from 'x'` and `import type, { a } from 'x'` import a value named `type`.
  if (/^type\b(?!\s*(?:,|$))/.test(clause)) return true
  const named = /^\{([\s\S]*)\}$/.exec(clause)?.[1]
  const names = named?.split(',').filter((name) => name.trim() !== '') ?? []
  return names.length > 0 && names.every((name) => /^\s*type\s+\w/.test(name))
}
