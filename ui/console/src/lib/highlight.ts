// Words of JSON and flow for the editor and the script view. Returns pieces, never markup.

export interface Piece {
  text: string;
  kind: '' | 'string' | 'number' | 'word' | 'comment' | 'name';
}

const flowWords = new Set(['workflow', 'function', 'const', 'let', 'if', 'else', 'for', 'while', 'of', 'in', 'return', 'await', 'try', 'catch',
  'finally', 'throw', 'new', 'true', 'false', 'null', 'undefined', 'break', 'continue', 'switch', 'case', 'default', 'typeof']);

const token = /(\/\/[^\n]*|\/\*[\s\S]*?\*\/)|("(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|`(?:\\.|[^`\\])*`?)|(-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|([A-Za-z_$][\w$]*)/g;

export function pieces(source: string, language: 'json' | 'flow'): Piece[] {
  const out: Piece[] = [];
  let at = 0;
  const push = (text: string, kind: Piece['kind']) => {
    const last = out.at(-1);
    if (last && last.kind === kind) last.text += text;
    else if (text) out.push({ text, kind });
  };
  for (const match of source.matchAll(token)) {
    push(source.slice(at, match.index), '');
    const text = match[0];
    at = match.index + text.length;
    if (match[1]) push(text, language === 'flow' ? 'comment' : '');
    else if (match[2]) push(text, language === 'json' && /^\s*:/.test(source.slice(at, at + 8)) ? 'name' : 'string');
    else if (match[3]) push(text, 'number');
    else if (language === 'flow') push(text, flowWords.has(text) ? 'word' : /^[A-Z]/.test(text) ? 'name' : '');
    else push(text, ['true', 'false', 'null'].includes(text) ? 'word' : '');
  }
  push(source.slice(at), '');
  return out;
}

/** The pieces of each line. */
export function lines(source: string, language: 'json' | 'flow'): Piece[][] {
  const out: Piece[][] = [[]];
  for (const piece of pieces(source, language)) {
    const parts = piece.text.split('\n');
    parts.forEach((text, index) => {
      if (index > 0) out.push([]);
      if (text) out.at(-1)?.push({ text, kind: piece.kind });
    });
  }
  return out;
}
