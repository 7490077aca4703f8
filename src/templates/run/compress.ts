import type { Piece } from '../pieces.ts'
import type { NodeOf } from '../syntax/tree.ts'
import { Fragment, Text } from '../values/value.ts'
import type { Leaving, Machine } from './machine.ts'

/** Runs the content of `compress`: each run of whitespace becomes one line break or one space. */
export function compress(machine: Machine, node: NodeOf<'compress'>): Leaving | undefined {
  const { value, leaving } = machine.capture(() => machine.run(node.children))
  const squeezer = new Squeezer()
  if (value instanceof Fragment)
    machine.write(new Fragment(value.pieces.flatMap((piece) => squeezer.piece(piece))))
  else if (value instanceof Text) machine.write(new Text(squeezer.text(value.text), value.isTainted))
  return leaving
}

class Squeezer {
  /** Whitespace that is written before the next character; at the beginning nothing. */
  #space = ''
  #isAtBeginning = true

  text(text: string): string {
    let result = ''
    for (const [run] of text.matchAll(/\s+|\S+/g)) {
      if (/\S/.test(run)) {
        result += this.#space + run
        this.#space = ''
        this.#isAtBeginning = false
      } else if (!this.#isAtBeginning)
        this.#space = /\r\n|\r|\n/.exec(this.#space.trim() === '' ? this.#space + run : run)?.[0] ?? ' '
    }
    return result
  }

  piece(piece: Piece): readonly Piece[] {
    if (piece.kind === 'text') return [{ ...piece, text: this.text(piece.text) }]
    const space = this.#space
    this.#space = ''
    this.#isAtBeginning = false
    return space === '' ? [piece] : [{ ...piece, kind: 'text', text: space }, piece]
  }
}
