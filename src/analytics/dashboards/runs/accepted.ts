/** The media types that both a script and a widget take. `image/*` of a widget stands for all of its kind. */
export function acceptedBy(script: readonly string[], widget: readonly string[]): string[] {
  return script.filter((type) =>
    widget.some(
      (one) => one === type || one === '*/*' || (one.endsWith('/*') && type.startsWith(one.slice(0, -1))),
    ),
  )
}
