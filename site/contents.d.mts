export const SECTIONS: Array<{ title: string; pages: string[] }>;
export function placeOf(page: string): string;
export function anchorOf(heading: string): string;
