internal import KeyturnBase
internal import Model

/// A journey as a picture (SVG): steps in rows, each below all that lead to it.
///
/// Light and dark follow the reader's system; every way is labelled, so that no colour carries a meaning alone.
struct JourneyPicture {
    private static let boxWidth = 220
    private static let boxHeight = 56
    private static let gapX = 48
    private static let gapY = 64
    private static let margin = 24

    private let journey: Journey
    /// The row and the column of each step.
    private let places: [String: (row: Int, column: Int)]
    private let rows: [[JourneyStep]]

    init(_ journey: Journey) {
        self.journey = journey
        let depths = Self.depths(journey)
        var rows: [[JourneyStep]] = []
        for step in journey.steps {
            let depth = depths[step.name] ?? 0
            while rows.count <= depth { rows.append([]) }
            rows[depth].append(step)
        }
        self.rows = rows.filter { !$0.isEmpty }
        places = Dictionary(
            self.rows.enumerated().flatMap { row, steps in
                steps.enumerated().map { ($1.name, (row: row, column: $0)) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The length of the longest way to each step.
    private static func depths(_ journey: Journey) -> [String: Int] {
        var depths: [String: Int] = [:]
        // Without loops no way has more steps than the journey.
        for _ in journey.steps {
            for step in journey.steps {
                for next in step.followers {
                    depths[next] = min(journey.steps.count, max(depths[next] ?? 0, (depths[step.name] ?? 0) + 1))
                }
            }
        }
        return depths
    }

    var svg: String {
        let columns = rows.map(\.count).max() ?? 1
        let width = 2 * Self.margin + columns * Self.boxWidth + (columns - 1) * Self.gapX + sideRoom
        let height = 2 * Self.margin + rows.count * Self.boxHeight + (rows.count - 1) * Self.gapY
        let title = Self.escaped(journey.name)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)" \
            role="img" aria-labelledby="title" font-family="system-ui, sans-serif" font-size="13">
            <title id="title">\(title)</title>
            <style>
            rect { fill: #fff; stroke: #0a6a55; stroke-width: 1.5 } text { fill: #1b1f1e } .page { fill: none }
            .label { font-size: 11px } .what, .label { fill: #4d5754 } path { fill: none; stroke: #6b7673 }
            #arrow path { fill: #6b7673; stroke: none } .back { fill: #f7f9f8; stroke: none }
            @media (prefers-color-scheme: dark) {
            rect { fill: #1b1f1e; stroke: #5fc7ac } text { fill: #f1f4f3 } .what, .label { fill: #b6c0bd }
            .back { fill: #121514 } path { stroke: #93a09c } #arrow path { fill: #93a09c } }
            </style>
            <defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">\
            <path d="M0 0 8 4 0 8z"/></marker></defs>
            <rect class="back" width="\(width)" height="\(height)"/>
            \(journey.steps.flatMap(lines).joined(separator: "\n"))
            \(journey.steps.map(box).joined(separator: "\n"))
            </svg>
            """
    }

    /// Ways that pass over rows run beside the boxes.
    private var sideRoom: Int { passing.isEmpty ? 0 : 24 + 18 * passing.count }

    /// Ways that pass over rows, in order.
    private var passing: [(from: String, to: String)] {
        journey.steps.flatMap { step in
            step.followers.compactMap { next in
                guard let from = places[step.name], let to = places[next], to.row > from.row + 1 else { return nil }
                return (step.name, next)
            }
        }
    }

    private func box(_ step: JourneyStep) -> String {
        let (x, y) = corner(step.name)
        let radius = step.kind.isEnd ? Self.boxHeight / 2 : 8
        let what = step.kind.summary + (step.condition.map { ", if \($0.summary)" } ?? "")
        return """
            <g><title>\(Self.escaped("\(step.name): \(what)"))</title>\
            <rect x="\(x)" y="\(y)" width="\(Self.boxWidth)" height="\(Self.boxHeight)" rx="\(radius)"/>\
            <text x="\(x + Self.boxWidth / 2)" y="\(y + 24)" text-anchor="middle" font-weight="600">\
            \(Self.escaped(Self.cut(step.name, to: 28)))</text>\
            <text class="what" x="\(x + Self.boxWidth / 2)" y="\(y + 42)" text-anchor="middle" font-size="11">\
            \(Self.escaped(Self.cut(what, to: 36)))</text></g>
            """
    }

    private func lines(_ step: JourneyStep) -> [String] {
        let edges = step.edges
        return edges.enumerated().map { index, edge in
            let (x, y) = corner(step.name)
            let (targetX, targetY) = corner(edge.target)
            let startX = x + Self.boxWidth * (index + 1) / (edges.count + 1)
            let startY = y + Self.boxHeight
            let endX = targetX + Self.boxWidth / 2
            let label =
                edge.label.isEmpty
                ? ""
                : "<text class=\"label\" x=\"\(startX + 6)\" y=\"\(startY + 13 + 13 * index)\">"
                    + "\(Self.escaped(Self.cut(edge.label, to: 40)))</text>"
            let path: String
            if let lane = passing.firstIndex(where: { $0.from == step.name && $0.to == edge.target }) {
                let columns = rows.map(\.count).max() ?? 1
                let side = Self.margin + columns * (Self.boxWidth + Self.gapX) - Self.gapX + 24 + 18 * lane
                let turn = startY + 18 + 13 * index
                path = "M\(startX) \(startY)V\(turn)H\(side)V\(targetY - 16)H\(endX)V\(targetY)"
            } else {
                let middle = startY + 18 + 13 * index
                path = "M\(startX) \(startY)V\(middle)H\(endX)V\(targetY)"
            }
            return "<path d=\"\(path)\" marker-end=\"url(#arrow)\"/>\(label)"
        }
    }

    private func corner(_ name: String) -> (x: Int, y: Int) {
        let place = places[name] ?? (0, 0)
        let columns = rows.map(\.count).max() ?? 1
        let missing = columns - rows[place.row].count
        return (
            Self.margin + missing * (Self.boxWidth + Self.gapX) / 2 + place.column * (Self.boxWidth + Self.gapX),
            Self.margin + place.row * (Self.boxHeight + Self.gapY)
        )
    }

    private static func cut(_ text: String, to count: Int) -> String {
        text.count <= count ? text : text.prefix(count - 1) + "…"
    }

    private static func escaped(_ text: String) -> String {
        text.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"][$0] ?? String($0) }.joined()
    }
}
