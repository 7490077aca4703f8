import { unreadable } from '../failure.ts'

/** The tags and texts of a document, in their order. Names have no prefix. */
export type XmlEvents = {
  /** @param tag the text between `<` and `>`, in which `attributeOf` finds attributes */
  readonly open: (name: string, tag: string) => void
  readonly text: (text: string) => void
  readonly close: (name: string) => void
}

/** A tag or a text is kept in memory until it ends. */
export const XML_TOKEN_MAX_CHARS = 1024 * 1024
/** A lone `&` is an entity without a name. */
const ENTITY = /&(?:#x([\da-f]{1,6});|#(\d{1,7});|(\w{1,8});)?/gi
const NAMED: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])
const SPACE = /\s/
const CDATA = '<![CDATA['

/** Reads XML in UTF-8, and yields after each chunk. A document type, which alone can define entities, is refused.
 * @throws {Refusal} import_failed */
export async function* scanXml(chunks: AsyncIterable<Uint8Array>, on: XmlEvents): AsyncGenerator<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  const scanner = new Scanner(on)
  try {
    for await (const chunk of chunks) {
      scanner.push(decoder.decode(chunk, { stream: true }))
      yield
    }
    scanner.push(decoder.decode())
  } catch (error) {
    throw error instanceof TypeError ? unreadable('The XML in the workbook is not in UTF-8.') : error
  }
  scanner.end()
}

/** The value of an attribute by its name without a prefix; null without it. */
export function attributeOf(tag: string, name: string): string | null {
  let at = tag.search(SPACE)
  while (at >= 0) {
    const equals = tag.indexOf('=', at)
    if (equals < 0) return null
    let open = equals + 1
    while (SPACE.test(tag.charAt(open))) open += 1
    const quote = tag.charAt(open)
    const close = quote === '"' || quote === "'" ? tag.indexOf(quote, open + 1) : -1
    if (close < 0) throw damaged()
    const own = tag.slice(at, equals).trim()
    if (localName(own) === name) return decoded(tag.slice(open + 1, close))
    at = close + 1
  }
  return null
}

class Scanner {
  readonly #on: XmlEvents
  #held = ''
  #depth = 0

  constructor(on: XmlEvents) {
    this.#on = on
  }

  push(text: string): void {
    const whole = this.#held + text
    let at = 0
    for (;;) {
      const lt = whole.indexOf('<', at)
      if (lt < 0) break
      const end = this.#endOf(whole, lt)
      if (end < 0) break
      if (lt > at && this.#depth > 0) this.#on.text(decoded(whole.slice(at, lt)))
      this.#take(whole, lt, end)
      at = end
    }
    if (whole.length - at > XML_TOKEN_MAX_CHARS)
      throw unreadable(`A tag or a text of the workbook has more than ${XML_TOKEN_MAX_CHARS} characters.`)
    this.#held = whole.slice(at)
  }

  end(): void {
    if (this.#depth !== 0 || this.#held.trim() !== '') throw damaged()
  }

  /** Behind the end of the token that begins with `<`; below 0 where it has not ended yet. */
  #endOf(text: string, lt: number): number {
    const mark = text.charCodeAt(lt + 1)
    if (mark === EXCLAMATION) {
      if (text.startsWith('<!--', lt)) return after(text, '-->', lt + 4)
      if (text.startsWith(CDATA, lt)) return after(text, ']]>', lt + CDATA.length)
      if (text.length - lt < CDATA.length) return -1
      throw unreadable('The XML in the workbook has a document type, which is refused.')
    }
    if (mark === QUESTION) return after(text, '?>', lt)
    return tagEnd(text, lt)
  }

  #take(text: string, lt: number, end: number): void {
    const mark = text.charCodeAt(lt + 1)
    if (mark === QUESTION) return
    if (mark === EXCLAMATION) {
      if (text.startsWith(CDATA, lt) && this.#depth > 0) this.#on.text(text.slice(lt + CDATA.length, end - 3))
      return
    }
    if (mark === SLASH) {
      this.#depth -= 1
      if (this.#depth < 0) throw damaged()
      this.#on.close(localName(text.slice(lt + 2, end - 1).trimEnd()))
      return
    }
    const isEmpty = text.charCodeAt(end - 2) === SLASH
    const tag = text.slice(lt + 1, isEmpty ? end - 2 : end - 1)
    const name = localName(nameOf(tag))
    this.#on.open(name, tag)
    if (isEmpty) this.#on.close(name)
    else this.#depth += 1
  }
}

const [EXCLAMATION, QUESTION, SLASH, GREATER, QUOTE, APOSTROPHE] = [0x21, 0x3f, 0x2f, 0x3e, 0x22, 0x27]

/** Behind the `>` that ends a tag, which may also stand in the value of an attribute; below 0 without it. */
function tagEnd(text: string, lt: number): number {
  let quote = 0
  for (let at = lt + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === GREATER) return at + 1
    else if (code === QUOTE || code === APOSTROPHE) quote = code
  }
  return -1
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? -1 : at + mark.length
}

function nameOf(tag: string): string {
  for (let at = 0; at < tag.length; at += 1) if (tag.charCodeAt(at) <= 0x20) return tag.slice(0, at)
  return tag
}

function localName(name: string): string {
  const colon = name.indexOf(':')
  return colon < 0 ? name : name.slice(colon + 1)
}

function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(ENTITY, (whole: string, hex?: string, decimal?: string, name: string = '') => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : NAMED.get(name)
    if (character !== undefined) return character
    throw unreadable(`The XML in the workbook has the unknown entity ${whole}.`)
  })
}

function damaged(): Error {
  return unreadable('The XML in the workbook is damaged.')
}
