// The encodings of output other than UTF-8. The addon decodes by tables, and has none itself.

import { failure, NativeCodePage } from '../../addon/native.ts';
import type { CodePage, Encoding } from '../../result/output-api.ts';
import { oneOf } from '../checks.ts';

/**
 * The characters of the bytes from 0x80 on, of the encodings that `TextDecoder` does not have, and of
 * windows-1252, which that of Node.js 22 decodes as ISO 8859-1.
 */
const SINGLES: Readonly<Partial<Record<CodePage, string>>> = {
  cp437:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
    '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  cp737:
    'ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩαβγδεζηθικλμνξοπρσςτυφχψ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
    '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀ωάέήϊίόύϋώΆΈΉΊΌΎΏ±≥≤ΪΫ÷≈°∙·√ⁿ²■\u00a0',
  cp775:
    'ĆüéāäģåćłēŖŗīŹÄÅÉæÆōöĢ¢ŚśÖÜø£Ø×¤ĀĪóŻżź”¦©®¬½¼Ł«»░▒▓│┤ĄČĘĖ╣║╗╝ĮŠ┐' +
    '└┴┬├─┼ŲŪ╚╔╩╦╠═╬Žąčęėįšųūž┘┌█▄▌▐▀ÓßŌŃõÕµńĶķĻļņĒŅ’\u00ad±“¾¶§÷„°∙·¹³²■\u00a0',
  cp850:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  cp852:
    'ÇüéâäůćçłëŐőîŹÄĆÉĹĺôöĽľŚśÖÜŤťŁ×čáíóúĄąŽžĘę¬źČş«»░▒▓│┤ÁÂĚŞ╣║╗╝Żż┐' +
    '└┴┬├─┼Ăă╚╔╩╦╠═╬¤đĐĎËďŇÍÎě┘┌█▄ŢŮ▀ÓßÔŃńňŠšŔÚŕŰýÝţ´\u00ad˝˛ˇ˘§÷¸°¨˙űŘř■\u00a0',
  cp857:
    'ÇüéâäàåçêëèïîıÄÅÉæÆôöòûùİÖÜø£ØŞşáíóúñÑĞğ¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ºªÊËÈ\ufffdÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµ\ufffd×ÚÛÙìÿ¯´\u00ad±\ufffd¾¶§÷¸°¨·¹³²■\u00a0',
  cp858:
    'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐' +
    '└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈ€ÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
  'windows-1252':
    '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ\u00a0¡¢£¤¥¦§¨©ª«¬\u00ad®¯°±²³´µ¶·¸¹º»¼½¾¿' +
    'ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ',
};

/** The encodings with pairs of bytes. */
const WITH_PAIRS = ['shift_jis', 'gbk', 'big5', 'euc-kr'] as const satisfies CodePage[];

/** The encodings with one byte for each character that `TextDecoder` has. */
const OF_DECODER = [
  'cp866',
  ...([874, 1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258] as const).map(
    (number) => `windows-${number}` as const,
  ),
  ...([2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16] as const).map((part) => `iso-8859-${part}` as const),
  'koi8-r',
  'koi8-u',
] as const satisfies CodePage[];

/** The names of all encodings. */
const CODE_PAGES: readonly CodePage[] = [
  ...(Object.keys(SINGLES) as CodePage[]),
  ...OF_DECODER,
  ...WITH_PAIRS,
  'latin1',
  'utf-16le',
];

const LINE_END = 0x0a;
const HIGH = range(0x80, 0xff);

/** The encodings that were used. */
const used = new Map<CodePage, InstanceType<typeof NativeCodePage>>();

/**
 * Checks an encoding other than the usual ones, and returns it for the addon. The first call makes its
 * tables. Without the addon, there is none.
 */
function checkCodePage(name: string, encoding: unknown): InstanceType<typeof NativeCodePage> | undefined {
  const choice = oneOf<Encoding>(name, encoding, ['utf8', 'buffer', ...CODE_PAGES]) as CodePage;
  if (failure !== null) return undefined;
  let page = used.get(choice);
  if (page === undefined) {
    page = made(choice);
    used.set(choice, page);
  }
  return page;
}

function made(name: CodePage): InstanceType<typeof NativeCodePage> {
  if (name === 'utf-16le') return NativeCodePage.utf16();
  const hasPairs = (WITH_PAIRS as readonly CodePage[]).includes(name);
  const page = NativeCodePage.ofTables(singlesOf(name), hasPairs ? pairsOf(name) : '');
  if (page === null) throw new Error(`The tables of ${name} are incomplete`);
  return page;
}

function singlesOf(name: CodePage): string {
  if (name === 'latin1') return String.fromCharCode(...HIGH);
  const own = SINGLES[name];
  if (own !== undefined) return own;
  // With a line end after each, since a byte that begins a pair takes the next one.
  return linesOf(
    name,
    HIGH.map((byte) => [byte]),
  ).join('');
}

/** Returns a line for each pair of bytes, which is empty for one without a character. */
function pairsOf(name: CodePage): string {
  const trails = range(0x40, 0xfe);
  const pairs = range(0x81, 0xfe).flatMap((lead) => trails.map((trail) => [lead, trail]));
  return linesOf(name, pairs)
    .map((text) => (text.includes('\ufffd') ? '' : text))
    .join('\n');
}

/** Decodes each of these as a line of its own. */
function linesOf(name: CodePage, lines: number[][]): string[] {
  const bytes = Uint8Array.from(lines.flatMap((line) => [...line, LINE_END]));
  return new TextDecoder(name).decode(bytes).slice(0, -1).split('\n');
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

export { checkCodePage };
