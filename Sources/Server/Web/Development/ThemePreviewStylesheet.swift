/// The style sheet of `/dev/theme`: both palettes on one page, whatever the page itself has.
enum ThemePreviewStylesheet {
    static func text(light: ThemePalette, dark: ThemePalette) -> String {
        """
        .preview-light { color-scheme: light; \(ThemeStylesheet.properties(light, .light)) }
        .preview-dark { color-scheme: dark; \(ThemeStylesheet.properties(dark, .dark)) }
        \(layout)

        """
    }

    private static let layout = """
        body[data-page="theme"] main.wide, body[data-page="theme"]:has(main.wide) .brand {
          inline-size: min(100%, 68rem);
        }
        .previews {
          display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem;
          margin-block: 1.25rem;
        }
        .preview {
          padding: 1.25rem; border-radius: 1rem; border: 1px solid var(--line); background: var(--paper);
          color: var(--ink); min-inline-size: 0;
        }
        .preview section > :last-child { margin-block-end: 0; }
        .preview .pointed { background: var(--accent-soft); }
        .preview .focused { outline: 3px solid var(--ring); outline-offset: 2px; border-color: var(--accent); }
        .contrast th, .contrast td {
          display: table-cell; inline-size: auto; padding-block: .4375rem; padding-inline-end: .75rem;
          border-block-start: 1px solid var(--line); vertical-align: middle;
        }
        .contrast tr { display: table-row; border: 0; padding: 0; }
        .contrast thead th { border: 0; }
        .contrast td { white-space: nowrap; font-variant-numeric: tabular-nums; }
        .contrast code { color: var(--ink); white-space: nowrap; }
        .contrast .badge { display: inline-block; }
        .scrolls { overflow-x: auto; }
        .swatch {
          inline-size: 1.5rem; block-size: 1rem; margin-inline-end: .375rem; vertical-align: -.125rem;
          border-radius: .1875rem; outline: 1px solid var(--line);
        }
        @media (max-width: 30rem) {
          .contrast { font-size: .8125rem; }
          .contrast th, .contrast td { padding-inline-end: .375rem; }
          .contrast td { white-space: normal; overflow-wrap: normal; }
          .contrast .swatch { display: block; margin-block-end: .125rem; }
          .contrast .badge { white-space: normal; padding-inline: 0; background: none; }
        }
        """
}
