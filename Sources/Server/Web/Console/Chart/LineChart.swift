internal import Foundation

/// A small chart of one or two series over time, as SVG, with the same numbers as a table.
struct LineChart: Sendable {
    struct Series: Sendable {
        let name: String
        /// `nil` where nothing was measured.
        let values: [Double?]
    }

    let title: String
    /// One or two, with as many values each as there are times. The second one is dashed.
    let series: [Series]
    /// What the table calls each moment, the oldest first.
    let times: [String]
    /// What the ends of the time line are called.
    let ends: (first: String, last: String)
    /// How a value is written.
    let text: @Sendable (Double) -> String

    private static let width = 600.0
    private static let height = 150.0
    private static let left = 62.0
    private static let top = 10.0
    private static let bottom = 24.0

    /// The values for `consoleChart.mustache`.
    func values(_ strings: Strings) -> [String: Any] {
        let top = Self.ceiling(series.flatMap(\.values).compactMap(\.self).max() ?? 0)
        let console = strings[ConsoleStrings.self]
        return [
            "title": title, "first": ends.first, "last": ends.last, "tableTitle": console.asTable,
            "summary": series.map { "\($0.name): \(last($0))" }.joined(separator: ", "),
            "marks": [0, top / 2, top].map { value in
                ["y": Self.number(y(value, top)), "textY": Self.number(y(value, top) + 4), "text": text(value)]
            },
            "lines": series.enumerated().map { index, series in
                [
                    "path": path(series.values, top), "style": index == 0 ? "" : "second",
                    "area": index == 0 ? area(series.values, top) : "",
                ]
            },
            "names": series.enumerated().map { ["name": $1.name, "style": $0 == 0 ? "" : "second"] },
            "rows": times.indices.reversed().map { index in
                [
                    "time": times[index],
                    "cells": series.map { ["name": $0.name, "text": $0.values[index].map(text) ?? "–"] },
                ] as [String: Any]
            },
        ]
    }

    private func last(_ series: Series) -> String { series.values.last?.map(text) ?? "–" }

    private func x(_ index: Int) -> Double {
        let steps = Double(max(times.count - 1, 1))
        return Self.left + Double(index) / steps * (Self.width - Self.left - 4)
    }

    private func y(_ value: Double, _ top: Double) -> Double {
        Self.top + (1 - value / top) * (Self.height - Self.top - Self.bottom)
    }

    /// The points that were measured, in pieces that have no gap.
    private func pieces(_ values: [Double?], _ top: Double) -> [[(x: Double, y: Double)]] {
        var pieces: [[(x: Double, y: Double)]] = [[]]
        for (index, value) in values.enumerated() {
            guard let value else {
                if pieces.last?.isEmpty == false { pieces.append([]) }
                continue
            }
            pieces[pieces.count - 1].append((x(index), y(value, top)))
        }
        return pieces.filter { !$0.isEmpty }
    }

    private func path(_ values: [Double?], _ top: Double) -> String {
        pieces(values, top).map { points in
            // A point alone would not be seen.
            let points = points.count == 1 ? [points[0], (points[0].x + 2, points[0].y)] : points
            return "M" + points.map { "\(Self.number($0.x)) \(Self.number($0.y))" }.joined(separator: "L")
        }.joined()
    }

    private func area(_ values: [Double?], _ top: Double) -> String {
        let floor = Self.number(y(0, top))
        return pieces(values, top).filter { $0.count > 1 }.map { points in
            "M\(Self.number(points[0].x)) \(floor)L"
                + points.map { "\(Self.number($0.x)) \(Self.number($0.y))" }.joined(separator: "L")
                + "L\(Self.number(points[points.count - 1].x)) \(floor)Z"
        }.joined()
    }

    /// The next number of 1, 2 or 5 and noughts.
    private static func ceiling(_ value: Double) -> Double {
        guard value > 0 else { return 1 }
        let power = pow(10, floor(log10(value)))
        let step = [1, 2, 5, 10].first { value <= $0 * power * (1 + 1e-9) } ?? 10
        return step * power
    }

    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
