//go:build unix && !linux

package engine

const mapNoReserve = 0 // these systems promise nothing before a page is written

func adviseHuge([]byte) {}
