/** Random templates of the language, most of them without a fault. The same seed makes the same templates. */
export function generated(seed: number, count: number): readonly string[] {
  const generator = new Generator(seed)
  return Array.from({ length: count }, () => generator.template())
}

type Type = 'number' | 'string' | 'boolean' | 'sequence' | 'hash' | 'any'
type Make = () => string

class Generator {
  #state: number
  #loops: string[] = []
  #names = 0

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  template(): string {
    this.#loops = []
    this.#names = 0
    const text = this.#content(3)
    return this.#below(12) === 0 ? text.replaceAll('<', '[').replaceAll(/([^-])>/g, '$1]') : text
  }

  /** Mulberry32. */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  #one<T>(of: readonly T[]): T {
    return of[this.#below(of.length)] as T
  }

  #content(depth: number): string {
    return Array.from({ length: 1 + this.#below(4) }, () => this.#element(depth)).join(this.#space())
  }

  #space(): string {
    return this.#one(['', '', ' ', '\n', '\n  ', '  \n', '\n\n', '\t'])
  }

  #element(depth: number): string {
    const plain: readonly Make[] = [
      () => this.#one(['a', 'b c', '$', '{', '#', "it's", 'x = ', '(', ')', ',', '--', '}']),
      () => `\${${this.#expression(this.#below(9) === 0 ? 'any' : 'number', 2)}}`,
      () => `\${${this.#expression('string', 3)}}`,
      () => `\${${this.#expression('number', 3)}}`,
      () => `\${${this.#expression('boolean', 2)}?c}`,
      () => `<#assign ${this.#name()} = ${this.#expression('any', 2)}>`,
      () => '<#-- note -->',
    ]
    if (depth === 0) return this.#one(plain)()
    return this.#one([...plain, ...plain, ...this.#blocks(depth - 1)])()
  }

  #blocks(depth: number): readonly Make[] {
    const inner = () => this.#space() + this.#content(depth) + this.#space()
    return [
      () => `<#if ${this.#condition()}>${inner()}</#if>`,
      () => `<#if ${this.#condition()}>${inner()}<#else>${inner()}</#if>`,
      () => `<#if ${this.#condition()}>${inner()}<#elseif ${this.#condition()}>${inner()}</#if>`,
      () => this.#list(inner),
      () => this.#list(inner),
      () => `<#assign ${this.#name()}>${inner()}</#assign>`,
      () => this.#switch(inner),
      () => `<#attempt>${inner()}<#recover>${inner()}</#attempt>`,
      () => this.#macro(inner),
      () => `<#compress>${inner()}</#compress>`,
      () => `<#noparse>${inner().replaceAll('noparse', 'x')}</#noparse>`,
      () => `<#escape v as ${this.#one(['v?upper_case', '"<" + v + ">"', 'v!"-"'])}>${inner()}</#escape>`,
      () => this.#one(['<#t>', '<#lt>', '<#rt>', '<#nt>']) + inner(),
    ]
  }

  /** A condition whose `>` does not end the tag. */
  #condition(): string {
    const condition = this.#expression('boolean', 2)
    return condition.includes('>') ? `(${condition})` : condition
  }

  #list(inner: Make): string {
    const name = `i${this.#loops.length}`
    const of = this.#tagged(this.#expression('sequence', 1))
    this.#loops.push(name)
    const body =
      inner() +
      this.#one([
        '',
        '<#sep>, ',
        `\${${name}?index}`,
        `\${${name}_index}`,
        `<#if ${name}?is_last><#break></#if>`,
      ])
    this.#loops.pop()
    if (this.#below(4) === 0)
      return `<#list ${of}>${this.#space()}<#items as ${name}>${body}</#items></#list>`
    return `<#list ${of} as ${name}>${body}${this.#one(['', '<#else>none'])}</#list>`
  }

  #tagged(expression: string): string {
    return expression.includes('>') ? `(${expression})` : expression
  }

  #switch(inner: Make): string {
    const cases = Array.from(
      { length: 1 + this.#below(3) },
      () => `<#case ${this.#one(['1', '42', '3'])}>${inner()}${this.#one(['', '<#break>'])}`,
    ).join('')
    return `<#switch ${this.#tagged(this.#expression('number', 1))}>${this.#space()}${cases}${this.#one(['', `<#default>${inner()}`])}</#switch>`
  }

  #macro(inner: Make): string {
    this.#names += 1
    const name = `m${this.#names}`
    const loops = this.#loops
    this.#loops = []
    const body = inner()
    this.#loops = loops
    if (body.includes('<#macro')) return body
    const arg = this.#tagged(this.#expression('any', 1))
    return `<#macro ${name} p q="d">${body}${this.#one(['', '<#nested>', '${p}', '${q}'])}</#macro>${this.#space()}<@${name} p=(${arg})${this.#one(['/>', `>${inner()}</@${name}>`])}`
  }

  #name(): string {
    return this.#one(['x', 'y', 'z'])
  }

  #expression(type: Type, depth: number): string {
    if (this.#below(150) === 0)
      return this.#one(['missing', 'nothing', 'user.nosuch', 'x', 'y', 'name', 'n', 'list', 'yes'])
    switch (type) {
      case 'number':
        return this.#number(depth)
      case 'string':
        return this.#string(depth)
      case 'boolean':
        return this.#boolean(depth)
      case 'sequence':
        return this.#sequence(depth)
      case 'hash':
        return this.#one(['user', 'none', '{"a": 1, "b": n}', '(user + {"c": 3})', 'rows[0]'])
      case 'any':
        return this.#expression(
          this.#one(['number', 'string', 'number', 'string', 'boolean', 'sequence'] as const),
          depth,
        )
    }
  }

  #number(depth: number): string {
    const leaf = () =>
      this.#one([
        'n',
        'zero',
        'minus',
        'big',
        'tiny',
        '1',
        '2.50',
        '3',
        '0.1',
        '1000000',
        'user.age',
        ...this.#numericLoops(),
      ])
    if (depth === 0) return leaf()
    const [number, string, sequence] = [
      () => this.#number(depth - 1),
      () => this.#string(depth - 1),
      () => this.#sequence(depth - 1),
    ]
    return this.#one([
      leaf,
      leaf,
      () => `${number()} ${this.#one(['+', '-', '*', '/', '%'])} ${number()}`,
      () => `(${number()} ${this.#one(['+', '-', '*', '/'])} ${number()})`,
      () => `-${leaf()}`,
      () => `(${number()})?${this.#one(['round', 'floor', 'ceiling', 'abs', 'int'])}`,
      () => `(${string()})?length`,
      () => `(${string()})?index_of("${this.#one(['a', 'o', ''])}")`,
      () => `(${sequence()})?size`,
      () => `numbers?${this.#one(['min', 'max', 'first', 'last'])}`,
      () => `numbers[${this.#below(4)}]`,
      () => `"${this.#below(100)}.${this.#below(100)}"?number`,
      () => `(${this.#boolean(0)})?then(${number()}, ${number()})`,
      () => `missing!${number()}`,
    ])()
  }

  #numericLoops(): readonly string[] {
    return this.#loops.flatMap((name) => [`${name}?index`, `${name}?counter`])
  }

  #string(depth: number): string {
    const leaf = () =>
      this.#one([
        'name',
        'text',
        'blank',
        'spaces',
        '"abc"',
        "'x y'",
        '"O\'B"',
        'user.name',
        'list[0]',
        '"${n}"',
        'r"\\d"',
      ])
    if (depth === 0) return leaf()
    const [string, number] = [() => this.#string(depth - 1), () => this.#number(depth - 1)]
    return this.#one([
      leaf,
      leaf,
      () => `${string()} + ${string()}`,
      () => `${string()} + (${number()})`,
      () =>
        `(${string()})?${this.#one(['upper_case', 'lower_case', 'cap_first', 'uncap_first', 'capitalize', 'trim', 'string'])}`,
      () =>
        `(${string()})?replace("${this.#one(['a', 'o', ' ', '', 'ab'])}", "${this.#one(['', '-', 'XY'])}"${this.#one(['', ', "f"', ', "i"'])})`,
      () => `(${string()})?substring(${this.#below(4)})`,
      () => `(${string()})[${this.#below(3)}..${this.#one(['', '*2', '<3', '2', '1'])}]`,
      () =>
        `(${string()})?${this.#one(['left_pad', 'right_pad'])}(${this.#below(12)}${this.#one(['', ', "-"', ', "abc"'])})`,
      () =>
        `(${string()})?${this.#one(['keep_before', 'keep_after', 'keep_before_last', 'keep_after_last', 'remove_beginning', 'remove_ending', 'ensure_starts_with', 'ensure_ends_with'])}("${this.#one(['a', ' ', 'x', 'th'])}")`,
      () => `(${this.#sequence(depth - 1)})?join(", ")`,
      () =>
        `(${number()})?${this.#one(['c', 'string', 'string("0.00")', 'string("#,##0.##")', 'string.percent', 'string.number'])}`,
      () => `(${this.#boolean(0)})?${this.#one(['c', 'string', 'string("j", "n")'])}`,
      () => `(${this.#boolean(0)})?then(${string()}, ${string()})`,
      () => `"<\${${this.#number(0)}}>"`,
      () => `missing!${string()}`,
      () => `(missing.x)!${string()}`,
      () => `day?string("${this.#one(['yyyy-MM-dd', 'd.M.yy', 'EEE'])}")`,
    ])()
  }

  #boolean(depth: number): string {
    const leaf = () =>
      this.#one([
        'yes',
        'no',
        'true',
        'false',
        'name??',
        'missing??',
        'x??',
        'blank?has_content',
        'n == 42',
        'n gt 3',
        'n lt 3',
      ])
    if (depth === 0) return leaf()
    const [boolean, number, string] = [
      () => this.#boolean(depth - 1),
      () => this.#number(depth - 1),
      () => this.#string(depth - 1),
    ]
    return this.#one([
      leaf,
      () => `(${boolean()} ${this.#one(['&&', '||'])} ${boolean()})`,
      () => `!${leaf()}`,
      () =>
        `(${number()} ${this.#one(['==', '!=', 'gt', 'gte', 'lt', 'lte', '<', '<=', '>', '>='])} ${number()})`,
      () => `(${string()} ${this.#one(['==', '!='])} ${string()})`,
      () =>
        `(${string()})?${this.#one(['contains', 'starts_with', 'ends_with'])}("${this.#one(['a', 'o', ''])}")`,
      () => `(${this.#sequence(depth - 1)})?has_content`,
      () => `list?seq_contains(${string()})`,
      () =>
        `(${this.#one(['n', 'name', 'list', 'user', 'yes'])})?${this.#one(['is_number', 'is_string', 'is_sequence', 'is_hash', 'is_boolean'])}`,
    ])()
  }

  #sequence(depth: number): string {
    const leaf = () =>
      this.#one([
        'list',
        'numbers',
        'empty',
        '[1, 2, 3]',
        '["q", "p"]',
        '1..3',
        '(3..1)',
        '(1..<3)',
        'user.tags',
        '(1..*2)',
      ])
    if (depth === 0) return leaf()
    const sequence = () => this.#sequence(depth - 1)
    return this.#one([
      leaf,
      leaf,
      () => `(${sequence()} + ${leaf()})`,
      () => `(${sequence()})?${this.#one(['reverse', 'sort'])}`,
      () => `numbers?${this.#one(['map(e -> e * 2)', 'filter(e -> e > 1)', 'sort'])}`,
      () => `(${this.#string(depth - 1)})?split("${this.#one([' ', ',', 'o'])}")`,
      () => `(${this.#string(depth - 1)})?word_list`,
      () => `list[${this.#below(3)}..${this.#one(['', '2', '<2', '*2'])}]`,
      () => `rows?sort_by("${this.#one(['region', 'total'])}")?map(r -> r.region)`,
      () => `${this.#expression('hash', 0)}?keys`,
      () => `[${this.#number(0)}, ${this.#string(0)}]`,
    ])()
  }
}
