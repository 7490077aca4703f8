/** True when the whole text fits the pattern, in which `*` stands for any run of characters, the empty one too.
 * Time is linear in the text for each `*` of any pattern: users write patterns, never regular expressions. */
export function matchesWildcard(text: string, pattern: string): boolean {
  const [head = '', ...parts] = pattern.split('*')
  if (parts.length === 0) return text === head
  const tail = parts.pop() ?? ''
  if (text.length < head.length + tail.length) return false
  if (!text.startsWith(head) || !text.endsWith(tail)) return false
  const end = text.length - tail.length
  let from = head.length
  for (const part of parts) {
    const found = text.indexOf(part, from)
    if (found < 0 || found + part.length > end) return false
    from = found + part.length
  }
  return true
}
